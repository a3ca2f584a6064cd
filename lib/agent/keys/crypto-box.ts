/** NaCl's crypto_box and libsodium's sealed box (X25519, HSalsa20, XSalsa20-Poly1305), as DIDComm v1 envelopes need them. */
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { ephemeralKeyPair, sharedSecret, type X25519KeyPair, type X25519PublicKey, x25519PublicKey } from './x25519.ts'

/** Length of a crypto_box nonce, in bytes. */
export const NONCE_LENGTH = 24

const PUBLIC_KEY_LENGTH = 32
/** Bytes that an authentication tag adds to a message. */
const TAG_LENGTH = 16

const words = (bytes: Uint8Array): Uint32Array =>
  new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))

const SIGMA = words(new TextEncoder().encode('expand 32-byte k'))
const ZERO_NONCE = new Uint32Array(4)

/** The key of a box: HSalsa20 of the shared secret (NaCl's crypto_box_beforenm). */
const boxKey = (theirs: X25519PublicKey, ours: X25519KeyPair): Uint8Array => {
  const key = new Uint32Array(8)
  hsalsa(SIGMA, words(sharedSecret(ours, theirs)), ZERO_NONCE, key)
  return new Uint8Array(key.buffer)
}

/** Encrypts for `theirs`, authenticated by `ours` (crypto_box_easy): tag (16 bytes), then ciphertext. */
export const box = (message: Uint8Array, nonce: Uint8Array, theirs: X25519PublicKey, ours: X25519KeyPair): Uint8Array =>
  xsalsa20poly1305(boxKey(theirs, ours), nonce).encrypt(message)

/** Opens a box of the holder of `theirs` (crypto_box_open_easy). Throws if it is not theirs or was altered. */
export const openBox = (
  boxed: Uint8Array,
  nonce: Uint8Array,
  theirs: X25519PublicKey,
  ours: X25519KeyPair,
): Uint8Array => xsalsa20poly1305(boxKey(theirs, ours), nonce).decrypt(boxed)

// https://doc.libsodium.org/public-key_cryptography/sealed_boxes, "Algorithm details"
const sealNonce = (ephemeralPublicKey: Uint8Array, publicKey: Uint8Array): Uint8Array =>
  blake2b(Buffer.concat([ephemeralPublicKey, publicKey]), { dkLen: NONCE_LENGTH })

/** Encrypts for `theirs` without a sender (crypto_box_seal): ephemeral public key (32 bytes), then a box. */
export const seal = (message: Uint8Array, theirs: X25519PublicKey): Uint8Array => {
  const ephemeral = ephemeralKeyPair()
  const nonce = sealNonce(ephemeral.publicBytes, theirs.bytes)
  return Buffer.concat([ephemeral.publicBytes, box(message, nonce, theirs, ephemeral)])
}

/** Opens a sealed box (crypto_box_seal_open). Throws if it is not for this key or was altered. */
export const openSealed = (sealed: Uint8Array, ours: X25519KeyPair): Uint8Array => {
  if (sealed.length < PUBLIC_KEY_LENGTH + TAG_LENGTH) throw new RangeError('a sealed box has at least 48 bytes')
  const ephemeral = x25519PublicKey(sealed.subarray(0, PUBLIC_KEY_LENGTH))
  const nonce = sealNonce(ephemeral.bytes, ours.publicBytes)
  return openBox(sealed.subarray(PUBLIC_KEY_LENGTH), nonce, ephemeral, ours)
}
