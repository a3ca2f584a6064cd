/** The signed request that a wallet reads: https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-5.8 */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { ENCRYPTION_ALGORITHMS } from '../jose/jwe.ts'
import { ALGORITHMS, signJwt } from '../jose/jwt.ts'
import { privateKeyOf } from '../keys/key-pair.ts'
import { sealedKeys } from '../keys/sealed-keys.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords, verifierRecords } from '../records/openid-kinds.ts'
import { type StoredVerificationSession, StoredVerifier } from '../records/openid4vp.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { findSession, isOpen, saveSession } from './session.ts'

/** The same for unknown, expired and answered requests, and another verifier's. */
const notFound = () => new AgentError('resource.not_found', 'there is no such request')

const requireValue = async (unit: UnitOfWork, type: string, id: string): Promise<unknown> => {
  const stored = await unit.read(unit.tenant, type, id)
  if (stored === undefined) throw notFound()
  return stored.value
}

const verifierInfoOf = ({ registrationCertificate }: StoredVerifier) =>
  registrationCertificate !== undefined && {
    verifier_info: [{ format: 'registration_cert', data: registrationCertificate }],
  }

const clientMetadataOf = ({ payload: { client_metadata }, encryptionKey }: StoredVerificationSession) => ({
  ...client_metadata,
  vp_formats_supported: { 'dc+sd-jwt': { 'sd-jwt_alg_values': ALGORITHMS, 'kb-jwt_alg_values': ALGORITHMS } },
  ...(encryptionKey !== undefined && {
    jwks: { keys: [{ ...encryptionKey.publicJwk, use: 'enc', alg: 'ECDH-ES' }] },
    encrypted_response_enc_values_supported: ENCRYPTION_ALGORITHMS,
  }),
})

interface RequestOf {
  verifierId: string
  verificationSessionId: string
  /** A nonce that the wallet wants to see in the request (section 5.10). */
  walletNonce?: string | undefined
}

/**
 * Signs the request of a session, and records that it was read. It contains no secret, and can be read again until it
 * is answered. Throws `resource.not_found`.
 */
export const requestObject = async (
  unit: UnitOfWork,
  { verifierId, verificationSessionId, walletNonce }: RequestOf,
): Promise<string> => {
  const session = await findSession(unit, verificationSessionId)
  if (session === undefined || !isOpen(session, verifierId)) throw notFound()
  const { certificateId, payload, expiresAt, state } = session
  const verifier = v.parse(StoredVerifier, await requireValue(unit, verifierRecords.type, verifierId))
  const { chain } = v.parse(StoredCertificate, await requireValue(unit, certificateRecords.type, certificateId))
  const jwk = await sealedKeys.get(unit.tenant, certificateId)
  if (jwk === null) throw notFound()
  if (state === 'RequestCreated') await saveSession(unit, { ...session, state: 'RequestUriRetrieved' })
  return signJwt(
    privateKeyOf(jwk),
    { typ: 'oauth-authz-req+jwt', x5c: chain },
    {
      ...payload,
      client_metadata: clientMetadataOf(session),
      ...verifierInfoOf(verifier),
      // Section 5.8: a wallet that was not discovered.
      aud: 'https://self-issued.me/v2',
      iat: Math.floor(Date.now() / 1000),
      exp: Math.floor(Date.parse(expiresAt) / 1000),
      ...(walletNonce !== undefined && { wallet_nonce: walletNonce }),
    },
  )
}
