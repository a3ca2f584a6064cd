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

/** A public key: its 32 bytes, and what Node makes of them, which takes as long as half an agreement. */
export interface X25519PublicKey {
  readonly bytes: Uint8Array
  readonly key: KeyObject
}

/** A private key, and the 32 bytes of the public one that belongs to it. */
export interface X25519KeyPair {
  readonly privateKey: KeyObject
  readonly publicBytes: Uint8Array
}

/** Small buffers of Node are pieces of one of 64 KiB, which lives as long as any of them: what is kept must be a copy. */
const copied = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

/** A public key of its 32 bytes. */
export const x25519PublicKey = (bytes: Uint8Array): X25519PublicKey => ({
  bytes: copied(bytes),
  key: createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' }),
})

/** As a JWK, which Node exports in a twentieth of the time that DER takes. */
const rawBytes = (publicKey: KeyObject): Uint8Array =>
  copied(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))

/** The key pair of the 32 bytes of a private key. */
export const x25519KeyPair = (secret: Uint8Array): X25519KeyPair => {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, secret]),
    format: 'der',
    type: 'pkcs8',
  })
  return { privateKey, publicBytes: rawBytes(createPublicKey(privateKey)) }
}

/** A new key pair, for one message. */
export const ephemeralKeyPair = (): X25519KeyPair => {
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  return { privateKey, publicBytes: rawBytes(publicKey) }
}

/** The 32-byte shared secret (RFC 7748 section 6.1). Throws on a public key of small order. */
export const sharedSecret = ({ privateKey }: X25519KeyPair, { key: publicKey }: X25519PublicKey): Uint8Array =>
  diffieHellman({ privateKey, publicKey })

/**
 * The X25519 key pair of an Ed25519 seed, as libsodium's `crypto_sign_ed25519_sk_to_curve25519`: the lower half of the
 * expanded seed (RFC 8032 section 5.1.5). The clamping is X25519's own first step (RFC 7748 section 5).
 * DIDComm v1 addresses envelopes to Ed25519 keys and encrypts with their Montgomery form (Aries RFC 0019).
 */
export const x25519OfEd25519 = (seed: Uint8Array): X25519KeyPair =>
  x25519KeyPair(createHash('sha512').update(seed).digest().subarray(0, 32))
