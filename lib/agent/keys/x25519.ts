/** X25519 with Node's crypto: raw 32-byte keys in, shared secret out, and the X25519 form of Ed25519 keys. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'

// Node imports raw private keys only with their public key (JWK) or in DER, so the fixed DER prefixes of RFC 8410 (sections 4 and 7, OID 1.3.101.110)
// are prepended.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex')
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex')

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

/** A copy: Node allocates small buffers from one of 64 KiB, which would stay in memory with any of them. */
const copied = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

/** A public key from its 32 bytes. */
export const x25519PublicKey = (bytes: Uint8Array): X25519PublicKey => ({
  bytes: copied(bytes),
  key: createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' }),
})

/** Exported as a JWK, which takes a twentieth of the time of DER. */
const rawBytes = (publicKey: KeyObject): Uint8Array =>
  copied(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))

/** The key pair of a 32-byte private key. */
export const x25519KeyPair = (secret: Uint8Array): X25519KeyPair => {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, secret]),
    format: 'der',
    type: 'pkcs8',
  })
  return { privateKey, publicBytes: rawBytes(createPublicKey(privateKey)) }
}

/** A new key pair for one message. */
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
