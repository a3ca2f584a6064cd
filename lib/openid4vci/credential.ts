/** The credential endpoint: https://openid.net/specs/openid-4-verifiable-credential-issuance-1_0.html#section-8 */
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { type PublicJwk, thumbprintOf } from '../jose/jwk.ts'
import { privateKeyOf, publicJwkOf } from '../keys/key-pair.ts'
import { sealedKeys } from '../keys/sealed-keys.ts'
import { macOf, sha256 } from '../openid/secrets.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords } from '../records/openid-kinds.ts'
import type {
  CredentialConfiguration,
  StatusReference,
  StoredIssuanceSession,
  StoredIssuer,
} from '../records/openid4vci.ts'
import { issueSdJwt } from '../sd-jwt/issue.ts'
import { drawIndexes } from '../status-list/indexes.ts'
import { statusListUri } from '../status-list/lists.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { hasIssuerName, readCertificate } from '../x509/certificate.ts'
import { sessionOfToken } from './access-token.ts'
import { type ClaimsOfCredential, loadClaims } from './claims.ts'
import { type IssuedTimes, issuedTimes } from './issued-times.ts'
import { issuerUrlOf } from './issuers.ts'
import { useNonce } from './nonce.ts'
import { provenKeys } from './proofs.ts'
import { saveSession } from './session.ts'

/** Of one access token. */
const MAX_REQUESTS = 20

/** Members that matter; `format`, of drafts, is passed over. */
export interface CredentialRequest {
  credential_configuration_id?: unknown
  credential_identifier?: unknown
  credential_response_encryption?: unknown
  proof?: unknown
  proofs?: unknown
}

type Offered = StoredIssuanceSession['credentials'][number]

const denied = (message: string) => new AgentError('oauth.credential_request_denied', message)

/** What of the offer is asked for, by the identifier that came with the token, or by its configuration. */
const requestedOf = (
  { credentials, credentialIdentifiers = [] }: StoredIssuanceSession,
  { credential_identifier: identifier, credential_configuration_id: configurationId }: CredentialRequest,
): { offered: Offered; index: number } => {
  const id = identifier ?? configurationId
  if ((identifier === undefined) === (configurationId === undefined) || typeof id !== 'string')
    throw new AgentError(
      'oauth.invalid_credential_request',
      'either credential_identifier or credential_configuration_id is needed',
    )
  const index = credentials.findIndex(({ credentialConfigurationId }) => credentialConfigurationId === id)
  const offered = credentials[index]
  if (identifier !== undefined && !credentialIdentifiers.includes(id))
    throw new AgentError('oauth.unknown_credential_identifier', 'the access token came without this identifier')
  if (offered === undefined)
    throw new AgentError('oauth.unknown_credential_configuration', 'the offer does not have this configuration')
  return { offered, index }
}

/** The certificate of a credential, and its key. */
const signerOf = async (unit: UnitOfWork, certificateId: string) => {
  const [stored, jwk] = await Promise.all([
    unit.read(unit.tenant, certificateRecords.type, certificateId),
    sealedKeys.get(unit.tenant, certificateId),
  ])
  if (stored === undefined || jwk === null) throw denied('the certificate of the credential is gone')
  return { certificate: v.parse(StoredCertificate, stored.value), jwk }
}
type Signer = Awaited<ReturnType<typeof signerOf>>

/** The keys to which copies are bound, and their nonce is used; one copy without a key where no proof is asked for. */
const boundKeys = async (
  unit: UnitOfWork,
  { proof, proofs }: CredentialRequest,
  { issuer, configuration, signer }: { issuer: StoredIssuer; configuration: CredentialConfiguration; signer: Signer },
): Promise<(PublicJwk | undefined)[]> => {
  const { proof_types_supported: types } = configuration
  if (types === undefined) return [undefined]
  if (proof !== undefined) throw new AgentError('oauth.invalid_proof', 'proof is of a draft: proofs is needed')
  const { issuerId, batchCredentialIssuance } = issuer
  const { keys, nonce } = await provenKeys(proofs, {
    audience: issuerUrlOf(issuerId),
    algorithms: types.jwt.proof_signing_alg_values_supported,
    batchSize: batchCredentialIssuance?.batchSize ?? 1,
    issuerThumbprint: thumbprintOf(publicJwkOf(signer.jwk)),
  })
  useNonce(unit, await unit.recordFailure(() => macOf(unit.tenant, issuerId)), nonce)
  return keys
}

/** Where the status of each copy is: drawn, or the one place that the tenant has chosen and taken with the offer. */
const placesOf = async (
  unit: UnitOfWork,
  issuerId: string,
  { isRevocable, statusListDetails }: Offered,
  { count, until }: { count: number; until: Date },
): Promise<StatusReference | undefined> => {
  if (!isRevocable) return undefined
  if (statusListDetails === undefined) return drawIndexes(unit, { issuerId, count, until })
  if (count > 1)
    throw new AgentError('oauth.invalid_proof', 'one key only: the credential has one place in a status list')
  return { listId: statusListDetails.listId, indexes: [statusListDetails.index] }
}

interface Copies {
  issuerId: string
  offered: Offered
  claims: ClaimsOfCredential
  signer: Signer
  times: IssuedTimes
  places: StatusReference | undefined
}

/** One copy for each key. Only what differs tells them apart: salts, key and place. */
const copiesFor = (
  keys: readonly (PublicJwk | undefined)[],
  { issuerId, offered, claims: { payload, disclosureFrame }, signer, times, places }: Copies,
): Promise<{ credential: string }[]> => {
  const { certificate, jwk } = signer
  const { iss: _, cnf: __, exp: ___, ...claims } = payload
  const iss = issuerUrlOf(issuerId)
  // Verifiers compare it with the names of the certificate, and look nowhere else.
  const named = hasIssuerName(readCertificate(String(certificate.chain[0])), iss) ? { iss } : {}
  return Promise.all(
    keys.map(async (key, index) => ({
      credential: await issueSdJwt({
        key: privateKeyOf(jwk),
        header: { typ: 'dc+sd-jwt', kid: certificate.keyId, x5c: certificate.chain },
        claims: {
          ...claims,
          ...named,
          ...times,
          vct: offered.vct,
          ...(key !== undefined && { cnf: { jwk: key } }),
          ...(places !== undefined && {
            status: { status_list: { uri: statusListUri(issuerId, places.listId), idx: places.indexes[index] } },
          }),
        },
        frame: disclosureFrame,
      }),
    })),
  )
}

/** The session after a request: its state says whether each configuration was issued. */
const recordIssued = (
  session: StoredIssuanceSession,
  { offered, count, places }: { offered: Offered; count: number; places: StatusReference | undefined },
  notificationId: string,
): StoredIssuanceSession => {
  const { credentialConfigurationId } = offered
  const issued = { credentialConfigurationId, issuedAt: new Date().toISOString(), count }
  const issuedCredentials = [...(session.issuedCredentials ?? []), { ...issued, ...(places && { status: places }) }]
  const ids = issuedCredentials.map((one) => one.credentialConfigurationId)
  const isComplete = session.credentials.every((one) => ids.includes(one.credentialConfigurationId))
  return {
    ...session,
    state: isComplete ? 'Completed' : 'CredentialsPartiallyIssued',
    issuedCredentials,
    requests: (session.requests ?? 0) + 1,
    notificationIds: [...(session.notificationIds ?? []), sha256(notificationId)],
    ...(places && { credentialStatus: session.credentialStatus ?? 'valid' }),
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
  request: CredentialRequest,
) => {
  const { session, issuer } = await sessionOfToken(unit, issuerId, accessToken)
  const { offered, index } = requestedOf(session, request)
  const configuration = issuer.credentialConfigurationsSupported[offered.credentialConfigurationId]
  if (configuration === undefined) throw denied('the issuer does not issue the credential any more')
  if (request.credential_response_encryption !== undefined)
    throw new AgentError('oauth.invalid_credential_request', 'the response can not be encrypted')
  if ((session.requests ?? 0) >= MAX_REQUESTS) throw denied(`the access token had ${MAX_REQUESTS} requests`)
  if (session.credentialStatus === 'suspended') throw denied('the credentials are suspended')
  const [signer, claims] = await Promise.all([signerOf(unit, offered.certificateId), loadClaims(unit, session.id)])
  const own = claims?.[index]
  if (own === undefined) throw denied('the claims of the offer are gone')
  const times = issuedTimes(own.payload, signer.certificate, new Date())
  if (times === undefined) throw denied('the credential or its certificate has expired')
  const keys = await boundKeys(unit, request, { issuer, configuration, signer })
  const until = times.exp === undefined ? new Date(signer.certificate.notAfter) : new Date(times.exp * 1000)
  const places = await placesOf(unit, issuerId, offered, { count: keys.length, until })
  const credentials = await copiesFor(keys, { issuerId, offered, claims: own, signer, times, places })
  const notificationId = randomBytes(16).toString('base64url')
  await saveSession(unit, recordIssued(session, { offered, count: keys.length, places }, notificationId))
  return { credentials, notification_id: notificationId }
}
