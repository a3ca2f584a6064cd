/** Key pairs for Credo: which of its types are supported, their ids, and the check of imported ones. */
import { randomUUID } from 'node:crypto'
import { Kms, TypedArrayEncoder } from '@credo-ts/core'
import * as v from 'valibot'
import { type Curve, isCurve, isKeyPair, PrivateJwk } from '../../keys/index.ts'

/** Whether keys of a type are supported. */
export const isSupportedKeyType = (type: { kty: string; crv?: string }): type is { kty: 'OKP' | 'EC'; crv: Curve } =>
  isCurve(type.crv)

/** An imported key: a private key with its public key. Throws `KeyManagementError`. */
export const importedJwk = (jwk: Kms.KmsJwkPrivate): PrivateJwk => {
  if (v.is(PrivateJwk, jwk) && isKeyPair(jwk)) return jwk
  // Without a cause, because Node's messages quote their input.
  throw new Kms.KeyManagementError(`${Kms.getJwkHumanDescription(jwk)} is not a valid key pair`)
}

/**
 * The id of a new key: `requestedId`, or else a UUID. The id of an Ed25519 key is its name in envelopes (`kid` of Aries
 * RFC 0019, the public key in base58): throws `KeyManagementError` for any other.
 */
export const newKeyId = (jwk: PrivateJwk, requestedId: string | undefined): string => {
  if (jwk.crv !== 'Ed25519') return requestedId ?? randomUUID()
  const keyId = TypedArrayEncoder.toBase58(Buffer.from(jwk.x, 'base64url'))
  if (requestedId === undefined || requestedId === keyId) return keyId
  throw new Kms.KeyManagementError('The id of an Ed25519 key is its public key in base58')
}
