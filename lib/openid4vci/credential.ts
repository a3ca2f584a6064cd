/** The credential endpoint: https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-8 */
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { type PublicJwk, thumbprintOf } from '../jose/jwk.ts'
import type { JsonObject } from '../json.ts'
import { privateKeyOf, publicJwkOf } from '../keys/key-pair.ts'
import { sealedKeys } from '../keys/sealed-keys.ts'
import { sha256 } from '../openid/compare.ts'
import { macOf } from '../openid/mac.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords } from '../records/openid-kinds.ts'
import type { StatusReference, StoredIssuanceSession, StoredIssuer } from '../records/openid4vci.ts'
import { issueSdJwt } from '../sd-jwt/issue.ts'
import { drawIndexes } from '../status-list/indexes.ts'
import { statusListUri } from '../status-list/lists.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { hasIssuerName } from '../x509/certificate.ts'
import { sessionOfToken } from './access-token.ts'
import { loadClaims } from './claims.ts'
import { issuedTimes } from './issued-times.ts'
import { issuerUrlOf } from './issuers.ts'
import { useNonce } from './nonce.ts'
import { provenKeys } from './proofs.ts'
import { saveSession } from './session.ts'

/** Of one access token. */
const MAX_REQUESTS = 20
/** Characters: the response of a function has at most 6 MB. */
const MAX_RESPONSE = 4 * 1024 * 1024

type Offered = StoredIssuanceSession['credentials'][number]

const denied = (message: string) => new AgentError('oauth.credential_request_denied', message)
const rejected = (message: string) => new AgentError('oauth.invalid_credential_request', message)

/**
 * The index of the requested credential in the offer: by the identifier from the token response, or by its
 * configuration. `format`, a parameter of drafts, is ignored.
 */
const requestedIndex = (
  { credentials, credentialIdentifiers }: StoredIssuanceSession,
  { credential_identifier: identifier, credential_configuration_id: configurationId }: JsonObject,
): number => {
  const id = identifier ?? configurationId
  if ((identifier === undefined) === (configurationId === undefined) || typeof id !== 'string')
    throw rejected('either credential_identifier or credential_configuration_id is required')
  if (identifier !== undefined && !credentialIdentifiers?.includes(id))
    throw new AgentError('oauth.unknown_credential_identifier', 'the token response did not have this identifier')
  const index = credentials.findIndex(({ credentialConfigurationId }) => credentialConfigurationId === id)
  // The wallet has asked for less than was offered (RFC 9396).
  if (index === -1 || credentialIdentifiers?.includes(id) === false)
    throw new AgentError('oauth.unknown_credential_configuration', 'the offer does not have this configuration')
  return index
}

/** The certificate of a credential, and its key. */
const signerOf = async (unit: UnitOfWork, certificateId: string) => {
  const [stored, jwk] = await Promise.all([
    unit.read(unit.tenant, certificateRecords.type, certificateId),
    sealedKeys.get(unit.tenant, certificateId),
  ])
  if (stored === undefined || jwk === null) throw denied('the certificate that signs the credential no longer exists')
  const certificate = v.parse(StoredCertificate, stored.value)
  return { certificate, key: privateKeyOf(jwk), thumbprint: thumbprintOf(publicJwkOf(jwk)) }
}

/** The key of each copy, and marks their nonce as used; one copy without a key if the configuration requires no proof. */
const boundKeys = async (
  unit: UnitOfWork,
  { proof, proofs }: JsonObject,
  { issuerId, batchCredentialIssuance, credentialConfigurationsSupported: configurations }: StoredIssuer,
  { configurationId, issuerThumbprint }: { configurationId: string; issuerThumbprint: string },
): Promise<(PublicJwk | undefined)[]> => {
  const configuration = Object.hasOwn(configurations, configurationId) ? configurations[configurationId] : undefined
  if (configuration === undefined) throw denied('the issuer no longer issues the credential')
  const { proof_types_supported: types } = configuration
  if (types === undefined) return [undefined]
  if (proof !== undefined) throw new AgentError('oauth.invalid_proof', 'proof is not supported: use proofs')
  const { keys, nonce } = await provenKeys(proofs, {
    audience: issuerUrlOf(issuerId),
    algorithms: types.jwt.proof_signing_alg_values_supported,
    batchSize: batchCredentialIssuance?.batchSize ?? 1,
    issuerThumbprint,
  })
  useNonce(unit, await unit.runRead(() => macOf(unit.tenant, issuerId)), nonce)
  return keys
}

/** The status list index of each copy: drawn now, or the one that the tenant chose and reserved with the offer. */
const assignStatusIndexes = async (
  unit: UnitOfWork,
  { isRevocable, statusListDetails: chosen }: Offered,
  of: { issuerId: string; count: number; until: Date },
): Promise<StatusReference | undefined> => {
  if (!isRevocable) return undefined
  if (chosen === undefined) return drawIndexes(unit, of)
  if (of.count > 1)
    throw new AgentError('oauth.invalid_proof', 'only one key is allowed: the offer has one status list index')
  return { listId: chosen.listId, indexes: [chosen.index] }
}

/** The session after a request: its state says whether each configuration was issued. */
const afterIssuing = (
  session: StoredIssuanceSession,
  issued: NonNullable<StoredIssuanceSession['issuedCredentials']>[number],
  notificationId: string,
): StoredIssuanceSession => {
  const issuedCredentials = [...(session.issuedCredentials ?? []), issued]
  const ids = issuedCredentials.map((one) => one.credentialConfigurationId)
  const isComplete = session.credentials.every((one) => ids.includes(one.credentialConfigurationId))
  return {
    ...session,
    state: isComplete ? 'Completed' : 'CredentialsPartiallyIssued',
    issuedCredentials,
    requests: (session.requests ?? 0) + 1,
    notificationIds: [...(session.notificationIds ?? []), sha256(notificationId)],
    ...(issued.status && { credentialStatus: session.credentialStatus ?? 'valid' }),
  }
}

/**
 * Issues what an access token is for, to each key that the wallet has proven. Throws `oauth.invalid_token`, and the errors
 * of section 8.3.1.2; the commit `oauth.invalid_nonce`.
 */
export const issueCredentials = async (
  unit: UnitOfWork,
  issuerId: string,
  accessToken: string | undefined,
  body: JsonObject,
) => {
  // Some serializers write absent members as null.
  const request = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  const { session, issuer } = await sessionOfToken(unit, issuerId, accessToken)
  const index = requestedIndex(session, request)
  if (request.credential_response_encryption !== undefined) throw rejected('encrypted responses are not supported')
  if ((session.requests ?? 0) >= MAX_REQUESTS)
    throw denied(`the access token was used ${MAX_REQUESTS} times, which is the maximum`)
  if (session.credentialStatus === 'suspended') throw denied('the credentials are suspended')
  const offered = session.credentials[index] as Offered
  const { credentialConfigurationId: configurationId, certificateId, vct } = offered
  const [signer, claims] = await Promise.all([signerOf(unit, certificateId), loadClaims(unit, session.id)])
  const { certificate, key } = signer
  const { payload, disclosureFrame: frame } = claims?.[index] ?? {}
  if (payload === undefined) throw denied('the claims of the offer no longer exist')
  const times = issuedTimes(payload, certificate, new Date())
  if (times === undefined) throw denied('the credential or its certificate has expired')
  const keys = await boundKeys(unit, request, issuer, { configurationId, issuerThumbprint: signer.thumbprint })
  const until = times.exp === undefined ? new Date(certificate.notAfter) : new Date(times.exp * 1000)
  const places = await assignStatusIndexes(unit, offered, { issuerId, count: keys.length, until })
  const iss = issuerUrlOf(issuerId)
  // Verifiers compare `iss` with the names of the certificate only.
  const isNamed = hasIssuerName(certificate, iss)
  const header = { typ: 'dc+sd-jwt', kid: signer.thumbprint, x5c: certificate.chain }
  // Copies differ only in salts, key and status index.
  const copyFor = async (jwk: PublicJwk | undefined, copy: number) => {
    const status = places && { uri: statusListUri(issuerId, places.listId), idx: places.indexes[copy] }
    const own = { vct, ...times, ...(isNamed && { iss }), ...(jwk && { cnf: { jwk } }) }
    const all = { ...payload, ...own, ...(status && { status: { status_list: status } }) }
    return { credential: await issueSdJwt({ key, header, claims: all, frame }) }
  }
  const credentials = await Promise.all(keys.map(copyFor))
  if (credentials.reduce((sum, { credential }) => sum + credential.length, 0) > MAX_RESPONSE)
    throw denied('the credentials are too large for one response: request fewer keys')
  const notificationId = randomBytes(16).toString('base64url')
  const issued = { credentialConfigurationId: configurationId, issuedAt: new Date().toISOString(), count: keys.length }
  await saveSession(unit, afterIssuing(session, { ...issued, ...(places && { status: places }) }, notificationId))
  return { credentials, notification_id: notificationId }
}
