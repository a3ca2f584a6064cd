/** Offers of credentials by a pre-authorized code: https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-4.1 */
import { randomBytes } from 'node:crypto'
import { AgentError, invalidField } from '../errors.ts'
import type { CredentialOffer } from '../interface/openid4vci.ts'
import { ensureMac, type Mac, macOf } from '../openid/mac.ts'
import type { StoredIssuanceSession } from '../records/openid4vci.ts'
import { offerUriOf } from '../records/shown-issuance.ts'
import { takeIndex } from '../status-list/indexes.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { insertClaims } from './claims.ts'
import { codeOf, newPin, pinMacOf } from './code.ts'
import { assertMetadataSize } from './issuance-metadata.ts'
import { isIssuing, issuerUrlOf, loadIssuer, recordCertificates } from './issuers.ts'
import { offerLinkOf } from './offer-link.ts'
import { assertOfferSize, type CheckedCredential, checkCredential } from './offered-credential.ts'
import { findSession, insertSession, isOffered, saveSession } from './session.ts'

/** Seconds. */
const EXPIRES_IN = 3600

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:pre-authorized_code'

/** Section 4.1.1 */
const offerOf = (mac: Mac, session: StoredIssuanceSession): string =>
  JSON.stringify({
    credential_issuer: issuerUrlOf(session.issuerId),
    credential_configuration_ids: session.credentials.map((one) => one.credentialConfigurationId),
    grants: {
      [GRANT_TYPE]: {
        'pre-authorized_code': codeOf(mac, session),
        ...(session.txCode !== undefined && { tx_code: session.txCode }),
      },
    },
  })

const pinOf = ({ preAuthorizedCodeFlowConfig: flow }: CredentialOffer, mac: Mac, sessionId: string) => {
  if (flow?.txCode === undefined) return undefined
  const pin = newPin(flow.txCode)
  return { userPin: pin, stored: { pin: { mac: pinMacOf(mac, sessionId, pin), tries: 0 }, txCode: flow.txCode } }
}

const assertServer = ({ publicIssuerId, preAuthorizedCodeFlowConfig: flow }: CredentialOffer): void => {
  const own = issuerUrlOf(publicIssuerId)
  if (flow?.authorizationServerUrl !== undefined && flow.authorizationServerUrl !== own)
    throw invalidField('preAuthorizedCodeFlowConfig.authorizationServerUrl', `must be ${own}`)
}

/** Throws `request.invalid` if a configuration is offered twice: each is issued for the keys of one wallet. */
const assertDistinct = ({ credentials }: CredentialOffer): void => {
  const ids = credentials.map((one) => one.credentialSupportedId)
  const index = ids.findIndex((id, place) => ids.indexOf(id) !== place)
  if (index >= 0) throw invalidField(`credentials.${index}.credentialSupportedId`, 'is offered twice')
}

/** Reserves the status list indexes that the tenant has chosen. The commit throws `status.index_taken`. */
const takeIndexes = async (unit: UnitOfWork, issuerId: string, credentials: readonly CheckedCredential[]) => {
  for (const { stored, end } of credentials)
    if (stored.statusListDetails !== undefined)
      await takeIndex(unit, { issuerId, ...stored.statusListDetails, until: end })
}

/**
 * Adds a session with its claims to the unit of work. Throws `resource.not_found` for the issuer, `request.invalid`; the
 * commit `status.index_taken`.
 */
export const createOffer = async (unit: UnitOfWork, body: CredentialOffer) => {
  const { publicIssuerId: issuerId, issuanceMetadata, expiresIn = EXPIRES_IN } = body
  const issuer = await loadIssuer(unit, issuerId)
  if (!isIssuing(issuer)) throw invalidField('publicIssuerId', `has stopped issuing at ${issuer.publicOnlySince}`)
  assertServer(body)
  assertDistinct(body)
  assertMetadataSize(issuanceMetadata)
  const now = new Date()
  const expiresAt = new Date(now.getTime() + expiresIn * 1000)
  const credentials: CheckedCredential[] = []
  for (const [index, credential] of body.credentials.entries()) {
    const revocable = { ...credential, isRevocable: credential.isRevocable ?? body.isRevocable }
    credentials.push(await checkCredential(unit, issuer, revocable, { path: `credentials.${index}`, now, expiresAt }))
  }
  assertOfferSize(credentials)
  await takeIndexes(unit, issuerId, credentials)
  await recordCertificates(
    unit,
    issuer,
    credentials.map(({ stored }) => stored.certificateId),
  )
  const mac = await ensureMac(unit, issuerId)
  const id = randomBytes(16).toString('base64url')
  const pin = pinOf(body, mac, id)
  const session: StoredIssuanceSession = {
    ...{ id, createdAt: now.toISOString(), issuerId, state: 'OfferCreated', expiresAt: expiresAt.toISOString() },
    credentials: credentials.map(({ stored }) => stored),
    ...(issuanceMetadata !== undefined && { issuanceMetadata }),
    ...pin?.stored,
  }
  insertSession(unit, session)
  const claims = credentials.map((credential) => credential.claims)
  await insertClaims(unit, id, claims, epochSeconds(expiresAt.getTime()))
  return {
    session,
    credentialOffer: offerLinkOf('credential_offer_uri', offerUriOf(issuerId, id)),
    credentialOfferByValue: offerLinkOf('credential_offer', offerOf(mac, session)),
    pageUrl: `${issuerUrlOf(issuerId)}/pages/${id}`,
    ...(pin !== undefined && { userPin: pin.userPin }),
  }
}

/**
 * Reads the offer of a session and records this; it can be read again until it is accepted. Unknown, expired and
 * accepted offers, and another issuer's, are the same `resource.not_found`.
 */
export const readOffer = async (unit: UnitOfWork, issuerId: string, sessionId: string): Promise<string> => {
  const issuer = await loadIssuer(unit, issuerId)
  const session = await findSession(unit, sessionId)
  if (session === undefined || !isIssuing(issuer) || !isOffered(session, issuerId))
    throw new AgentError('resource.not_found', 'there is no such offer')
  if (session.state === 'OfferCreated') await saveSession(unit, { ...session, state: 'OfferUriRetrieved' })
  return offerOf(await macOf(unit.tenant, issuerId), session)
}
