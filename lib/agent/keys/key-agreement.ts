/** ECDH-HSALSA20 with stored keys: from Credo's key agreement options to a crypto_box or a sealed box. */
import { randomBytes } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import {
  box,
  NONCE_LENGTH,
  openBox,
  openSealed,
  seal,
  type X25519KeyPair,
  type X25519PublicKey,
  x25519KeyPair,
  x25519OfEd25519,
  x25519PublicKey,
} from './crypto-box.ts'
import type { Ed25519Key } from './ed25519-key.ts'

/** Bounded, because anybody may choose keys. */
const MAX_CONVERTED = 1_000

/** Whether this is the supported key agreement (the only one of DIDComm v1). */
export const isBoxAgreement = <Agreement extends { algorithm: string }>(
  agreement: Agreement | undefined,
): agreement is Extract<Agreement, { algorithm: 'ECDH-HSALSA20' }> => agreement?.algorithm === 'ECDH-HSALSA20'

/** Encrypts for `recipient`: a crypto_box if there is a sender (with its nonce as `iv`), else a sealed box. */
export const encryptByAgreement = (
  sender: Kms.KmsJwkPrivate | undefined,
  recipient: X25519PublicKey,
  content: Uint8Array,
  nonce: Uint8Array = randomBytes(NONCE_LENGTH),
): Kms.KmsEncryptReturn => {
  if (!sender) return { encrypted: Uint8Array.from(withKeyErrors('encrypt', () => seal(content, recipient))) }
  const ours = agreementKey(sender)
  const encrypted = withKeyErrors('encrypt', () => box(content, nonce, recipient, ours))
  return { encrypted: Uint8Array.from(encrypted), iv: Uint8Array.from(nonce) }
}

/** Decrypts for `recipient`: a crypto_box if the sender's key is known, else a sealed box. */
export const decryptByAgreement = (
  recipient: Kms.KmsJwkPrivate,
  sender: X25519PublicKey | undefined,
  encrypted: Uint8Array,
  nonce: Uint8Array | undefined,
): Uint8Array<ArrayBuffer> => {
  const ours = agreementKey(recipient)
  if (!sender) return Uint8Array.from(withKeyErrors('decrypt', () => openSealed(encrypted, ours)))
  if (!nonce) throw new Kms.KeyManagementError('An authenticated box cannot be decrypted without its nonce (iv)')
  return Uint8Array.from(withKeyErrors('decrypt', () => openBox(encrypted, nonce, sender, ours)))
}

/** The public key of an X25519 JWK. Throws `KeyManagementError` for an invalid one. */
export const agreementPublicKey = ({ x }: Kms.KmsJwkPublicOkp): X25519PublicKey =>
  withKeyErrors('read', () => x25519PublicKey(bytes(x)))

/** X25519 forms of other agents' Ed25519 keys: converting takes longer than using them. */
const converted = new Bounded<string, X25519PublicKey>(MAX_CONVERTED)

/** The X25519 key for boxes to an Ed25519 key, without `convertTo`'s schemas. Throws if it is no point of the curve. */
export const agreementKeyOf = (key: Ed25519Key): X25519PublicKey => {
  const jwk = key.toJson()
  const known = converted.get(jwk.x)
  return known ?? converted.set(jwk.x, agreementPublicKey(new Kms.Ed25519PublicJwk(jwk).toX25519PublicJwk()))
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

/** The public X25519 form of a stored key: from the private key, a third of what the public one takes to convert. */
export const ownAgreementKeyOf = (jwk: Kms.KmsJwkPrivate): Kms.PublicJwk<Kms.X25519PublicJwk> =>
  Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'X25519', publicKey: agreementKey(jwk).publicBytes })

const createAgreementKey = (jwk: Kms.KmsJwkPrivate): X25519KeyPair => {
  Kms.assertAllowedKeyDerivationAlgForKey(jwk, 'ECDH-HSALSA20')
  Kms.assertKeyAllowsDerive(jwk)
  if (jwk.kty === 'OKP') return jwk.crv === 'Ed25519' ? x25519OfEd25519(bytes(jwk.d)) : x25519KeyPair(bytes(jwk.d))
  throw new Kms.KeyManagementError(`${Kms.getJwkHumanDescription(jwk)} cannot be used with algorithm 'ECDH-HSALSA20'`)
}

const bytes = (base64url: string): Uint8Array => Buffer.from(base64url, 'base64url')

/** Runs a cipher. Its errors (altered content, invalid key) become Credo's. */
const withKeyErrors = <T>(operation: 'encrypt' | 'decrypt' | 'read', act: () => T): T => {
  try {
    return act()
  } catch (error) {
    throw new Kms.KeyManagementError(
      `The key agreement could not ${operation} this`,
      error instanceof Error ? { cause: error } : {},
    )
  }
}
