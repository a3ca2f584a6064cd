/** Key pairs for Credo: which of its types are supported, and their ids. */
import { randomUUID } from 'node:crypto'
import { Kms, TypedArrayEncoder } from '@credo-ts/core'
import { type Curve, isCurve, type PrivateJwk } from '../../keys/index.ts'

/** Whether keys of a type are supported. */
export const isSupportedKeyType = (type: { kty: string; crv?: string }): type is { kty: 'OKP' | 'EC'; crv: Curve } =>
  isCurve(type.crv)

/**
 * The id of a new key: `requestedId`, or else a UUID. The id of an Ed25519 key is its name in envelopes (`kid` of Aries
 * RFC 0019, the public key in base58): throws `KeyManagementError` for any other.
 */
export const newKeyId = (jwk: PrivateJwk, requestedId?: string): string => {
  if (jwk.crv !== 'Ed25519') return requestedId ?? randomUUID()
  const keyId = TypedArrayEncoder.toBase58(Buffer.from(jwk.x, 'base64url'))
  if (requestedId === undefined || requestedId === keyId) return keyId
  throw new Kms.KeyManagementError('The id of an Ed25519 key is its public key in base58')
}
