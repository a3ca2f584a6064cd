/**
 * NaCl's crypto_box and libsodium's sealed box (X25519, HSalsa20, XSalsa20-Poly1305), as DIDComm v1 envelopes need
 * them: X25519 by Node's crypto.
 */
import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hash,
  type KeyObject,
} from 'node:crypto'
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { blake2b } from '@noble/hashes/blake2.js'

// Node imports raw private keys only with their public key (JWK) or in DER, so the fixed DER prefixes of RFC 8410
// (sections 4 and 7, OID 1.3.101.110) are prepended. PEM (RFC 7468) takes half the time of bytes or an object, for
// which Node tries several forms and catches exceptions.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

const pem = (label: 'PRIVATE' | 'PUBLIC', prefix: Uint8Array, bytes: Uint8Array): string =>
  `-----BEGIN ${label} KEY-----\n${Buffer.concat([prefix, bytes]).toString('base64')}\n-----END ${label} KEY-----`

/** A public key: its 32 bytes, and Node's key object, which takes half as long to create as an agreement. */
export interface X25519PublicKey {
  readonly bytes: Uint8Array
  readonly key: KeyObject
}

/** A private key and the 32 bytes of its public key. */
export interface X25519KeyPair {
  readonly privateKey: KeyObject
  readonly publicBytes: Uint8Array
}

/** A copy: Node allocates small buffers from a pool of 64 KiB, which would stay in memory with each of them. */
const copied = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

/** A public key from its 32 bytes. */
export const x25519PublicKey = (bytes: Uint8Array): X25519PublicKey => ({
  bytes: copied(bytes),
  key: createPublicKey(pem('PUBLIC', SPKI_PREFIX, bytes)),
})

/** Exported as a JWK, which takes a twentieth of the time of DER. */
const rawBytes = (publicKey: KeyObject): Uint8Array =>
  copied(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))

/** The key pair of a 32-byte private key. */
export const x25519KeyPair = (secret: Uint8Array): X25519KeyPair => {
  const privateKey = createPrivateKey(pem('PRIVATE', PKCS8_PREFIX, secret))
  return { privateKey, publicBytes: rawBytes(createPublicKey(privateKey)) }
}

/** A new key pair for one message. */
const ephemeralKeyPair = (): X25519KeyPair => {
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  return { privateKey, publicBytes: rawBytes(publicKey) }
}

/** The 32-byte shared secret (RFC 7748 section 6.1). Throws on a public key of small order. */
const sharedSecret = ({ privateKey }: X25519KeyPair, { key: publicKey }: X25519PublicKey): Uint8Array =>
  diffieHellman({ privateKey, publicKey })

/**
 * The X25519 key pair of an Ed25519 seed, as libsodium's `crypto_sign_ed25519_sk_to_curve25519`: the lower half of the
 * expanded seed (RFC 8032 section 5.1.5). The clamping is X25519's own first step (RFC 7748 section 5).
 * DIDComm v1 addresses envelopes to Ed25519 keys and encrypts with their Montgomery form (Aries RFC 0019).
 */
export const x25519OfEd25519 = (seed: Uint8Array): X25519KeyPair =>
  x25519KeyPair(hash('sha512', seed, 'buffer').subarray(0, 32))

/** Length of a crypto_box nonce, in bytes. */
export const NONCE_LENGTH = 24

const PUBLIC_KEY_LENGTH = 32

const words = (bytes: Uint8Array): Uint32Array =>
  new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))

const SIGMA = words(new TextEncoder().encode('expand 32-byte k'))
const ZERO_NONCE = new Uint32Array(4)

/** The key of a box: HSalsa20 of the shared secret (NaCl's crypto_box_beforenm). */
const deriveBoxKey = (theirs: X25519PublicKey, ours: X25519KeyPair): Uint8Array => {
  const key = new Uint32Array(8)
  hsalsa(SIGMA, words(sharedSecret(ours, theirs)), ZERO_NONCE, key)
  return new Uint8Array(key.buffer)
}

/** Cached keys of the boxes between two keys that are not ephemeral: garbage-collected with either. */
const boxKeys = new WeakMap<X25519KeyPair, WeakMap<X25519PublicKey, Uint8Array>>()

/** The same, cached, because the agreement takes most of the time of a box. */
const boxKey = (theirs: X25519PublicKey, ours: X25519KeyPair): Uint8Array => {
  const keys = boxKeys.get(ours) ?? new WeakMap<X25519PublicKey, Uint8Array>()
  const key = keys.get(theirs) ?? deriveBoxKey(theirs, ours)
  boxKeys.set(ours, keys.set(theirs, key))
  return key
}

/** Encrypts for `theirs`, authenticated by `ours` (crypto_box_easy): tag (16 bytes), then ciphertext. */
export const box = (message: Uint8Array, nonce: Uint8Array, theirs: X25519PublicKey, ours: X25519KeyPair): Uint8Array =>
  xsalsa20poly1305(boxKey(theirs, ours), nonce).encrypt(message)

/** Decrypts a box from `theirs` (crypto_box_open_easy). Throws if it is from another key or was altered. */
export const decryptBox = (
  boxed: Uint8Array,
  nonce: Uint8Array,
  theirs: X25519PublicKey,
  ours: X25519KeyPair,
): Uint8Array => xsalsa20poly1305(boxKey(theirs, ours), nonce).decrypt(boxed)

// https://doc.libsodium.org/public-key_cryptography/sealed_boxes, "Algorithm details"
const sealNonce = (ephemeralPublicKey: Uint8Array, publicKey: Uint8Array): Uint8Array =>
  blake2b(Buffer.concat([ephemeralPublicKey, publicKey]), { dkLen: NONCE_LENGTH })

/** Encrypts for `theirs` without a sender (crypto_box_seal): ephemeral public key (32 bytes), then a box. */
export const encryptSealedBox = (message: Uint8Array, theirs: X25519PublicKey): Uint8Array => {
  const ephemeral = ephemeralKeyPair()
  const nonce = sealNonce(ephemeral.publicBytes, theirs.bytes)
  const boxed = xsalsa20poly1305(deriveBoxKey(theirs, ephemeral), nonce).encrypt(message)
  return Buffer.concat([ephemeral.publicBytes, boxed])
}

/** Decrypts a sealed box (crypto_box_seal_open). Throws if it is for another key or was altered. */
export const decryptSealedBox = (sealed: Uint8Array, ours: X25519KeyPair): Uint8Array => {
  const ephemeral = x25519PublicKey(sealed.subarray(0, PUBLIC_KEY_LENGTH))
  const nonce = sealNonce(ephemeral.bytes, ours.publicBytes)
  return xsalsa20poly1305(deriveBoxKey(ephemeral, ours), nonce).decrypt(sealed.subarray(PUBLIC_KEY_LENGTH))
}
