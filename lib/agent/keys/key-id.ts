/** The ids of keys. */
import { randomUUID } from 'node:crypto'
import { Kms, TypedArrayEncoder } from '@credo-ts/core'
import type { HeldJwk } from './key-pair.ts'

/**
 * The id of a new key: a UUID unless one is wanted. An Ed25519 key is found by the name that envelopes have for it (`kid` of
 * Aries RFC 0019, its public half in base58), so it has no other id: throws `KeyManagementError` for one.
 */
export const newKeyId = (jwk: HeldJwk, wanted: string | undefined): string => {
  if (jwk.crv !== 'Ed25519') return wanted ?? randomUUID()
  const keyId = TypedArrayEncoder.toBase58(Buffer.from(jwk.x, 'base64url'))
  if (wanted === undefined || wanted === keyId) return keyId
  throw new Kms.KeyManagementError('The id of an Ed25519 key is its public key in base58')
}
