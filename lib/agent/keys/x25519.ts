/** X25519 on Node's own crypto: raw 32-byte keys in, shared secret out; Ed25519 keys are taken as X25519 keys. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'

// Node imports a raw private key only with its public half (JWK) or in DER, so the fixed DER prefixes of
// RFC 8410 (sections 4 and 7, OID 1.3.101.110) are put in front.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

/** An X25519 private key of its 32 bytes. */
export const x25519PrivateKey = (secret: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, secret]), format: 'der', type: 'pkcs8' })

/** A new X25519 private key, for one message. */
export const ephemeralPrivateKey = (): KeyObject => generateKeyPairSync('x25519').privateKey

/** The 32 bytes of the public key that belongs to a private key. */
export const x25519PublicKey = (privateKey: KeyObject): Uint8Array =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length)

/** The 32-byte shared secret (RFC 7748 section 6.1). Throws on a public key of small order. */
export const sharedSecret = (privateKey: KeyObject, publicKey: Uint8Array): Uint8Array =>
  diffieHellman({
    privateKey,
    publicKey: createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' }),
  })

/**
 * The X25519 private key of an Ed25519 seed, as libsodium's `crypto_sign_ed25519_sk_to_curve25519`: the lower half of the
 * expanded seed (RFC 8032 section 5.1.5). The clamping is X25519's own first step (RFC 7748 section 5).
 * DIDComm v1 addresses envelopes to Ed25519 keys and encrypts with their Montgomery form (Aries RFC 0019).
 */
export const x25519OfEd25519 = (seed: Uint8Array): KeyObject =>
  x25519PrivateKey(createHash('sha512').update(seed).digest().subarray(0, 32))
