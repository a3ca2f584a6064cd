/** The token endpoint: an access token for a pre-authorized code. https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-6 */
import { AgentError, CommittedError } from '../errors.ts'
import { isObject, parseJson } from '../json.ts'
import { isSame, type Mac, macOf, sha256 } from '../openid/secrets.ts'
import type { StoredIssuanceSession } from '../records/openid4vci.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { newAccessToken, TOKEN_SECONDS } from './access-token.ts'
import { deleteClaims, expireClaims } from './claims.ts'
import { codeOf, pinMacOf } from './code.ts'
import { isIssuing, loadIssuer } from './issuers.ts'
import { findSession, isOffered, saveSession } from './session.ts'

const PRE_AUTHORIZED_CODE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

const MAX_PIN_TRIES = 5

/** The form that a wallet posts. */
export interface TokenRequest {
  grant_type: string
  'pre-authorized_code'?: string | undefined
  tx_code?: string | undefined
  authorization_details?: string | undefined
}

const malformed = (message: string) => new AgentError('request.malformed', message)

const INVALID_GRANT = ['oauth.invalid_grant', 'the code or the PIN is not valid'] as const

/** The session of a code, whatever its state. Throws `oauth.invalid_grant`. */
const sessionOfCode = async (
  unit: UnitOfWork,
  issuerId: string,
  code: string,
): Promise<{ session: StoredIssuanceSession; mac: Mac }> => {
  const [, id] = /^([\w-]{22})\.[\w-]{43}$/.exec(code) ?? []
  const [session, issuer] = await Promise.all([id && findSession(unit, id), loadIssuer(unit, issuerId)])
  if (!session || session.issuerId !== issuerId || !isIssuing(issuer)) throw new AgentError(...INVALID_GRANT)
  const mac = await unit.recordFailure(() => macOf(unit.tenant, issuerId))
  if (!isSame(code, codeOf(mac, session))) throw new AgentError(...INVALID_GRANT)
  return { session, mac }
}

type PinCheck = 'right' | 'wrong' | 'missing' | 'unexpected'

const checkPin = ({ id, pin }: StoredIssuanceSession, mac: Mac, given: string | undefined): PinCheck => {
  if (pin === undefined) return given === undefined ? 'right' : 'unexpected'
  if (given === undefined) return 'missing'
  return isSame(pin.mac, pinMacOf(mac, id, given)) ? 'right' : 'wrong'
}

/** Counts a wrong PIN. Before a token was given the last try ends the offer: whoever has the code may do that. */
const countTry = async (unit: UnitOfWork, session: StoredIssuanceSession, mac: string, tries: number) => {
  const ends = tries === MAX_PIN_TRIES && session.tokenHash === undefined
  if (ends) deleteClaims(unit, session.id)
  await saveSession(unit, {
    ...session,
    pin: { mac, tries },
    ...(ends && { state: 'Error' as const, errorMessage: `the PIN was wrong ${MAX_PIN_TRIES} times` }),
  })
}

/** A code that is used again was seen by another: its token ends (RFC 6749, section 4.1.2). */
const endToken = async (unit: UnitOfWork, { tokenHash: _, ...session }: StoredIssuanceSession): Promise<void> => {
  deleteClaims(unit, session.id)
  await saveSession(unit, { ...session, state: 'Error', errorMessage: 'the code was used a second time' })
}

/** What the request asks for by `authorization_details` (RFC 9396): configurations of the offer; undefined without it. */
const requestedDetails = (text: string | undefined, { credentials }: StoredIssuanceSession): string[] | undefined => {
  if (text === undefined) return undefined
  const details = parseJson(text)
  if (!Array.isArray(details) || details.length === 0 || details.length > credentials.length)
    throw malformed('authorization_details must be a list, of the credentials that are offered')
  const ids = details.map((one) =>
    isObject(one) && one.type === 'openid_credential' ? one.credential_configuration_id : undefined,
  )
  const offered = credentials.map(({ credentialConfigurationId }) => credentialConfigurationId)
  if (!ids.every((id) => offered.includes(id as string)))
    throw malformed('authorization_details must name credentials that are offered, by credential_configuration_id')
  return [...new Set(ids as string[])]
}

/** Gives the token, once. */
const grant = async (unit: UnitOfWork, session: StoredIssuanceSession, identifiers: string[] | undefined) => {
  const accessToken = newAccessToken(session.id)
  const end = epochSeconds() + TOKEN_SECONDS
  await saveSession(unit, {
    ...session,
    state: 'AccessTokenCreated',
    tokenHash: sha256(accessToken),
    expiresAt: new Date(end * 1000).toISOString(),
    ...(identifiers !== undefined && { credentialIdentifiers: identifiers }),
  })
  expireClaims(unit, session.id, end)
  return {
    access_token: accessToken,
    token_type: 'Bearer' as const,
    expires_in: TOKEN_SECONDS,
    ...(identifiers !== undefined && {
      authorization_details: identifiers.map((id) => ({
        ...{ type: 'openid_credential', credential_configuration_id: id, credential_identifiers: [id] },
      })),
    }),
  }
}

/**
 * Gives an access token for a code and its PIN. A wrong PIN is counted, and the last try locks the code; a code that is
 * used again ends its token, unless it is locked. Throws `request.malformed`, `oauth.unsupported_grant_type`,
 * `oauth.invalid_grant`.
 */
export const giveToken = async (unit: UnitOfWork, issuerId: string, request: TokenRequest) => {
  const { grant_type, 'pre-authorized_code': code, tx_code, authorization_details } = request
  if (grant_type !== PRE_AUTHORIZED_CODE)
    throw new AgentError('oauth.unsupported_grant_type', 'grant_type must be that of pre-authorized codes')
  if (code === undefined) throw malformed('pre-authorized_code is missing')
  const { session, mac } = await sessionOfCode(unit, issuerId, code)
  const { pin, tokenHash, expiresAt } = session
  const wasUsed = tokenHash !== undefined && new Date() < new Date(expiresAt)
  if (!(wasUsed || isOffered(session, issuerId)) || (pin !== undefined && pin.tries >= MAX_PIN_TRIES))
    throw new AgentError(...INVALID_GRANT)
  const check = checkPin(session, mac, tx_code)
  if (pin !== undefined && check === 'wrong') {
    await countTry(unit, session, pin.mac, pin.tries + 1)
    return new CommittedError(...INVALID_GRANT)
  }
  if (wasUsed && check === 'missing') throw new AgentError(...INVALID_GRANT)
  if (wasUsed) {
    await endToken(unit, session)
    return new CommittedError(...INVALID_GRANT)
  }
  if (check === 'missing') throw malformed('tx_code is missing: the offer asks for it')
  if (check === 'unexpected') throw malformed('tx_code is there, and the offer asks for none')
  return grant(unit, session, requestedDetails(authorization_details, session))
}
