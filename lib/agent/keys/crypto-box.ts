/** NaCl's crypto_box and libsodium's sealed box (X25519, HSalsa20, XSalsa20-Poly1305), as DIDComm v1 envelopes need them. */
import type { KeyObject } from 'node:crypto'
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { ephemeralPrivateKey, sharedSecret, x25519PublicKey } from './x25519.ts'

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
const boxKey = (publicKey: Uint8Array, privateKey: KeyObject): Uint8Array => {
  const key = new Uint32Array(8)
  hsalsa(SIGMA, words(sharedSecret(privateKey, publicKey)), ZERO_NONCE, key)
  return new Uint8Array(key.buffer)
}

/** Encrypts for `publicKey`, authenticated by `privateKey` (crypto_box_easy): tag (16 bytes), then ciphertext. */
export const box = (message: Uint8Array, nonce: Uint8Array, publicKey: Uint8Array, privateKey: KeyObject): Uint8Array =>
  xsalsa20poly1305(boxKey(publicKey, privateKey), nonce).encrypt(message)

/** Opens a box of the holder of `publicKey` (crypto_box_open_easy). Throws if it is not theirs or was altered. */
export const openBox = (
  boxed: Uint8Array,
  nonce: Uint8Array,
  publicKey: Uint8Array,
  privateKey: KeyObject,
): Uint8Array => xsalsa20poly1305(boxKey(publicKey, privateKey), nonce).decrypt(boxed)

// https://doc.libsodium.org/public-key_cryptography/sealed_boxes, "Algorithm details"
const sealNonce = (ephemeralPublicKey: Uint8Array, publicKey: Uint8Array): Uint8Array =>
  blake2b(Buffer.concat([ephemeralPublicKey, publicKey]), { dkLen: NONCE_LENGTH })

/** Encrypts for `publicKey` without a sender (crypto_box_seal): ephemeral public key (32 bytes), then a box. */
export const seal = (message: Uint8Array, publicKey: Uint8Array): Uint8Array => {
  const ephemeral = ephemeralPrivateKey()
  const ephemeralPublicKey = x25519PublicKey(ephemeral)
  const nonce = sealNonce(ephemeralPublicKey, publicKey)
  return Buffer.concat([ephemeralPublicKey, box(message, nonce, publicKey, ephemeral)])
}

/** Opens a sealed box (crypto_box_seal_open). Throws if it is not for this key or was altered. */
export const openSealed = (sealed: Uint8Array, privateKey: KeyObject): Uint8Array => {
  if (sealed.length < PUBLIC_KEY_LENGTH + TAG_LENGTH) throw new RangeError('a sealed box has at least 48 bytes')
  const ephemeralPublicKey = sealed.subarray(0, PUBLIC_KEY_LENGTH)
  const nonce = sealNonce(ephemeralPublicKey, x25519PublicKey(privateKey))
  return openBox(sealed.subarray(PUBLIC_KEY_LENGTH), nonce, ephemeralPublicKey, privateKey)
}
