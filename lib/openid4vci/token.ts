/** The token endpoint: an access token for a pre-authorized code. https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-6 */
import * as v from 'valibot'
import { AgentError, CommittedError } from '../errors.ts'
import type { RequestToken } from '../interface/openid4vci-wallets.ts'
import { isSame, sha256 } from '../openid/compare.ts'
import { macOf } from '../openid/mac.ts'
import type { StoredIssuanceSession } from '../records/openid4vci.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { newAccessToken, TOKEN_SECONDS } from './access-token.ts'
import { deleteClaims, expireClaims } from './claims-item.ts'
import { codeOf, pinMacOf } from './code.ts'
import { isIssuing, loadIssuer } from './issuers.ts'
import { findSession, isOffered, saveSession } from './session.ts'

const PRE_AUTHORIZED_CODE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

const MAX_PIN_TRIES = 5

const malformed = (message: string) => new AgentError('request.malformed', message)

/** The same for every reason. */
const INVALID_GRANT = ['oauth.invalid_grant', 'the code or the PIN is not valid'] as const

/** The session of a code, whatever its state. Throws `oauth.invalid_grant`. */
const sessionOfCode = async (unit: UnitOfWork, issuerId: string, code: string) => {
  const [, id = ''] = /^([\w-]{22})\.[\w-]{43}$/.exec(code) ?? []
  const [session, issuer] = await Promise.all([findSession(unit, id), loadIssuer(unit, issuerId)])
  if (session?.issuerId !== issuerId || !isIssuing(issuer)) throw new AgentError(...INVALID_GRANT)
  const mac = await unit.runRead(() => macOf(unit.tenant, issuerId))
  if (!isSame(code, codeOf(mac, session))) throw new AgentError(...INVALID_GRANT)
  return { session, mac }
}

/** Ends an offer or its token, with the claims. A completed session stays completed. */
const end = (unit: UnitOfWork, { tokenHash: _, ...session }: StoredIssuanceSession, errorMessage: string) => {
  deleteClaims(unit, session.id)
  return saveSession(unit, session.state === 'Completed' ? session : { ...session, state: 'Error', errorMessage })
}

/** RFC 9396, and section 5.1.1 */
const Details = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ type: v.literal('openid_credential'), credential_configuration_id: v.string() })),
  v.minLength(1),
)

/** The configurations that `authorization_details` names; undefined where there are none. */
const requestedIds = (text: string | undefined, { credentials }: StoredIssuanceSession): string[] | undefined => {
  if (text === undefined) return undefined
  const details = v.safeParse(Details, text)
  const ids = new Set(details.success ? details.output.map((one) => one.credential_configuration_id) : [''])
  for (const id of ids)
    if (!credentials.some((one) => one.credentialConfigurationId === id))
      throw malformed('authorization_details must name credentials of the offer by credential_configuration_id')
  return [...ids]
}

/** Issues the token, once. */
const grant = async (unit: UnitOfWork, session: StoredIssuanceSession, ids: string[] | undefined) => {
  const accessToken = newAccessToken(session.id)
  const expiresAt = epochSeconds() + TOKEN_SECONDS
  await saveSession(unit, {
    ...session,
    state: 'AccessTokenCreated',
    tokenHash: sha256(accessToken),
    expiresAt: new Date(expiresAt * 1000).toISOString(),
    ...(ids && { credentialIdentifiers: ids }),
  })
  expireClaims(unit, session.id, expiresAt)
  const type = 'openid_credential'
  const details = ids?.map((id) => ({ type, credential_configuration_id: id, credential_identifiers: [id] }))
  return {
    ...{ access_token: accessToken, token_type: 'Bearer' as const, expires_in: TOKEN_SECONDS },
    ...(details && { authorization_details: details }),
  }
}

/**
 * Issues an access token for a code and its PIN. A wrong PIN is counted, and the last try ends the offer: every holder
 * of the code can do that. A code that is used again has leaked, and its token ends (RFC 6749, section 4.1.2), unless
 * the tries are used up. Throws `request.malformed`, `oauth.unsupported_grant_type`, `oauth.invalid_grant`.
 */
export const issueToken = async (unit: UnitOfWork, issuerId: string, form: v.InferOutput<typeof RequestToken.body>) => {
  const { grant_type, 'pre-authorized_code': code, tx_code = '', authorization_details } = form
  if (grant_type !== PRE_AUTHORIZED_CODE)
    throw new AgentError('oauth.unsupported_grant_type', 'grant_type must be that of pre-authorized codes')
  if (code === undefined) throw malformed('pre-authorized_code is missing')
  const { session, mac } = await sessionOfCode(unit, issuerId, code)
  const { pin, tokenHash, expiresAt } = session
  const wasUsed = tokenHash !== undefined && new Date() < new Date(expiresAt)
  if (!(wasUsed || isOffered(session, issuerId)) || (pin && pin.tries >= MAX_PIN_TRIES))
    throw new AgentError(...INVALID_GRANT)
  if (!wasUsed && (pin === undefined) !== (tx_code === ''))
    throw malformed(pin ? 'tx_code is missing: the offer requires it' : 'the offer does not allow a tx_code')
  if (pin && !isSame(pin.mac, pinMacOf(mac, session.id, tx_code))) {
    const counted = { ...session, pin: { ...pin, tries: pin.tries + 1 } }
    const isLast = !wasUsed && counted.pin.tries === MAX_PIN_TRIES
    await (isLast ? end(unit, counted, `the PIN was wrong ${MAX_PIN_TRIES} times`) : saveSession(unit, counted))
    return new CommittedError(...INVALID_GRANT)
  }
  if (wasUsed) {
    await end(unit, session, 'the code was used a second time')
    return new CommittedError(...INVALID_GRANT)
  }
  return grant(unit, session, requestedIds(authorization_details, session))
}
