/** Makes a verification session with its request: https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-5 */
import { randomBytes } from 'node:crypto'
import * as v from 'valibot'
import { AgentError, invalidField } from '../errors.ts'
import type { PresentationRequest } from '../interface/openid4vp.ts'
import { generateJwk, publicJwkOf } from '../keys/key-pair.ts'
import { verifierRecords } from '../records/openid-kinds.ts'
import { type StoredVerificationSession, StoredVerifier } from '../records/openid4vp.ts'
import { settings } from '../settings.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { readCertificate } from '../x509/certificate.ts'
import { withField } from '../x509/field.ts'
import { sealKey } from './response-key.ts'
import { insertSession } from './session.ts'
import { chooseSigner } from './signer.ts'

/** Seconds. */
const EXPIRES_IN = 600
const RESULT_TTL = 30 * 24 * 60 * 60

/** Bytes of all transaction data of a request. */
const MAX_TRANSACTION_DATA = 8 * 1024

/** HAIP 1.0, section 5: each violation names its field. */
const assertHaip = ({ responseMode = 'direct_post.jwt', redirectUri, crossDevice }: PresentationRequest): void => {
  if (responseMode !== 'direct_post.jwt')
    throw invalidField('responseMode', 'must be direct_post.jwt (HAIP 1.0, section 5)')
  if (redirectUri === undefined && crossDevice !== true)
    throw invalidField('redirectUri', 'is required unless crossDevice is true (HAIP 1.0, section 5.1)')
}

/** The data as the request has them: base64url of JSON (OpenID4VP 1.0, section 8.4). */
const encodeTransactionData = ({ transactionData = [], dcql }: PresentationRequest): string[] => {
  // Only a key binding can authorize transaction data.
  const bound = dcql.query.credentials.filter((query) => query.require_cryptographic_holder_binding !== false)
  const ids = bound.map(({ id }) => id)
  for (const [index, { credential_ids, transaction_data_hashes_alg: algorithms }] of transactionData.entries()) {
    const path = `transactionData.${index}`
    if (!Array.isArray(credential_ids) || credential_ids.some((id) => !ids.includes(id)))
      throw invalidField(`${path}.credential_ids`, 'must be ids of credentials that are requested with key binding')
    if (algorithms !== undefined && !(Array.isArray(algorithms) && algorithms.join() === 'sha-256'))
      throw invalidField(`${path}.transaction_data_hashes_alg`, 'must be sha-256 only')
  }
  const encoded = transactionData.map((data) => Buffer.from(JSON.stringify(data)).toString('base64url'))
  if (encoded.join('').length > (MAX_TRANSACTION_DATA * 4) / 3)
    throw invalidField('transactionData', `must be at most ${MAX_TRANSACTION_DATA} bytes`)
  return encoded
}

const random = (bytes: number): string => randomBytes(bytes).toString('base64url')

/** The link for a wallet. */
const linkOf = ({ haip }: StoredVerifier, clientId: string, requestUri: string, method: string | undefined): string => {
  const query = new URLSearchParams({ client_id: clientId, request_uri: requestUri })
  if (method === 'post') query.set('request_uri_method', 'post')
  return `${haip ? 'haip-vp' : 'openid4vp'}://?${query}`
}

const verifierOf = async (unit: UnitOfWork, verifierId: string): Promise<StoredVerifier> => {
  const stored = await unit.read(unit.tenant, verifierRecords.type, verifierId)
  if (stored === undefined) throw new AgentError('resource.not_found', 'there is no such verifier')
  return v.parse(StoredVerifier, stored.value)
}

/** The key with which the wallet encrypts its response: one for each request, so that its deletion makes all copies unreadable. */
const newEncryptionKey = async (unit: UnitOfWork, sessionId: string) => {
  const jwk = generateJwk('P-256')
  return { publicJwk: { ...publicJwkOf(jwk), kid: random(8) }, sealed: await sealKey(unit, sessionId, jwk) }
}

/** Adds a session to the unit of work. Throws `resource.not_found` for the verifier, `request.invalid`. */
export const createRequest = async (unit: UnitOfWork, options: PresentationRequest) => {
  const { verifierId, dcql, responseMode = 'direct_post.jwt', redirectUri, requestUriMethod } = options
  const verifier = await verifierOf(unit, verifierId)
  if (verifier.haip) assertHaip(options)
  const now = new Date()
  const expiresAt = new Date(now.getTime() + (options.expiresIn ?? EXPIRES_IN) * 1000)
  const { certificateId, clientId } = await chooseSigner(unit, verifier, options.requestSigner ?? {}, expiresAt)
  const trusted = options.trustedCertificates?.map(
    (text, index) => withField(`trustedCertificates.${index}`, () => readCertificate(text)).base64,
  )
  const transactionData = encodeTransactionData(options)
  const id = random(16)
  const encryptionKey = responseMode === 'direct_post.jwt' ? await newEncryptionKey(unit, id) : undefined
  const base = `${settings().PUBLIC_URL}/oid4vp/${verifierId}`
  const requestUri = `${base}/authorization-requests/${id}`
  const session: StoredVerificationSession = {
    ...{ id, createdAt: now.toISOString(), verifierId, state: 'RequestCreated' as const },
    authorizationRequest: linkOf(verifier, clientId, requestUri, requestUriMethod),
    authorizationRequestUri: requestUri,
    expiresAt: expiresAt.toISOString(),
    payload: {
      ...{ response_type: 'vp_token', response_mode: responseMode, client_id: clientId },
      ...{ response_uri: `${base}/authorize?session=${id}`, nonce: random(32), state: random(16) },
      dcql_query: dcql.query,
      client_metadata: verifier.clientMetadata ?? {},
      ...(transactionData.length > 0 && { transaction_data: transactionData }),
    },
    ...{ certificateId, resultTtl: options.resultTtl ?? RESULT_TTL },
    ...(redirectUri !== undefined && { redirectUri }),
    ...(encryptionKey !== undefined && { encryptionKey }),
    ...(trusted !== undefined && { trustedCertificates: trusted }),
  }
  insertSession(unit, session)
  return { session, pageUrl: `${base}/requests/${id}` }
}
