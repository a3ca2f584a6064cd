/** ECDH-HSALSA20 with stored keys: a crypto_box, or a sealed box. */
import { randomBytes } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import {
  box,
  decryptBox,
  decryptSealedBox,
  encryptSealedBox,
  NONCE_LENGTH,
  type X25519KeyPair,
  type X25519PublicKey,
  x25519OfEd25519,
  x25519PublicKey,
} from './crypto-box.ts'
import type { Ed25519Key } from './ed25519-key.ts'

/** Bounded, because any sender can use new keys. */
const MAX_CONVERTED = 1_000

/** Encrypts for `recipient`: a crypto_box if there is a sender (with its nonce as `iv`), else a sealed box. */
export const encryptByAgreement = (
  sender: Kms.KmsJwkPrivate | undefined,
  recipient: X25519PublicKey,
  content: Uint8Array,
): { encrypted: Uint8Array; iv?: Uint8Array } => {
  if (!sender) return { encrypted: encryptSealedBox(content, recipient) }
  const iv = randomBytes(NONCE_LENGTH)
  return { encrypted: box(content, iv, recipient, agreementKey(sender)), iv }
}

/** Decrypts for `recipient`: a crypto_box if the sender's key and the nonce are known, else a sealed box. */
export const decryptByAgreement = (
  recipient: Kms.KmsJwkPrivate,
  encrypted: Uint8Array,
  from?: { sender: X25519PublicKey; nonce: Uint8Array },
): Uint8Array => {
  const ours = agreementKey(recipient)
  return from ? decryptBox(encrypted, from.nonce, from.sender, ours) : decryptSealedBox(encrypted, ours)
}

/** X25519 forms of other agents' Ed25519 keys: converting takes longer than using them. */
const converted = new Bounded<string, X25519PublicKey>(MAX_CONVERTED)

/**
 * The X25519 key for boxes to an Ed25519 key, without `convertTo`'s schemas. Throws if it is not a point of the curve.
 */
export const agreementKeyOf = (key: Ed25519Key): X25519PublicKey => {
  const jwk = key.toJson()
  const create = () => x25519PublicKey(bytes(new Kms.Ed25519PublicJwk(jwk).toX25519PublicJwk().x))
  return converted.get(jwk.x) ?? converted.set(jwk.x, create())
}

/** X25519 forms of private keys. Each is garbage-collected with the key store's JWK. */
const agreementKeys = new WeakMap<Kms.KmsJwkPrivate, X25519KeyPair>()

/** The X25519 form of a stored key: DIDComm v1 uses Ed25519 keys as X25519 keys. */
const agreementKey = (jwk: Kms.KmsJwkPrivate): X25519KeyPair => {
  const known = agreementKeys.get(jwk)
  if (known !== undefined) return known
  const created = createAgreementKey(jwk)
  agreementKeys.set(jwk, created)
  return created
}

/**
 * The public X25519 form of a stored key, from the private key: converting the public key takes three times as long.
 */
export const ownAgreementKeyOf = (jwk: Kms.KmsJwkPrivate): Kms.PublicJwk<Kms.X25519PublicJwk> =>
  Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'X25519', publicKey: agreementKey(jwk).publicBytes })

const createAgreementKey = (jwk: Kms.KmsJwkPrivate): X25519KeyPair => {
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519') return x25519OfEd25519(bytes(jwk.d))
  throw new Kms.KeyManagementError('only Ed25519 keys encrypt and decrypt envelopes')
}

const bytes = (base64url: string): Uint8Array => Buffer.from(base64url, 'base64url')
