/** Ed25519 public keys of agents and their names in envelopes (Aries RFC 0019): verkeys. */
import { CredoError, Kms, TypedArrayEncoder } from '@credo-ts/core'
import * as v from 'valibot'

export type Ed25519Key = Kms.PublicJwk<Kms.Ed25519PublicJwk>

export const KEY_BYTES = 32

/** 32 bytes in base58: 32 characters if all bytes are zero, 44 for the highest number. */
const BASE58_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/**
 * An Ed25519 public key in base58. The pattern first bounds its length, because decoding base58 takes quadratic time.
 */
export const Verkey = v.pipe(
  v.string(),
  v.check((text) => BASE58_KEY.test(text) && TypedArrayEncoder.fromBase58(text).length === KEY_BYTES),
)

/** The key of a verkey. Throws a CredoError for any other text. */
export const keyOfVerkey = (verkey: string): Ed25519Key => {
  if (!v.is(Verkey, verkey)) throw new CredoError('the text is not an Ed25519 key in base58')
  return Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey: TypedArrayEncoder.fromBase58(verkey) })
}

/** The verkey of a key. */
export const verkeyOf = ({ publicKey }: Ed25519Key): string => TypedArrayEncoder.toBase58(publicKey.publicKey)
