/** ECDH-HSALSA20 with stored keys: from Credo's key agreement options to a crypto_box or a sealed box. */
import { type KeyObject, randomBytes } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import { box, NONCE_LENGTH, openBox, openSealed, seal } from './crypto-box.ts'
import { x25519OfEd25519, x25519PrivateKey } from './x25519.ts'

/** Whether this is the key agreement that is supported (the only one of DIDComm v1). */
export const isBoxAgreement = <Agreement extends { algorithm: string }>(
  agreement: Agreement | undefined,
): agreement is Extract<Agreement, { algorithm: 'ECDH-HSALSA20' }> => agreement?.algorithm === 'ECDH-HSALSA20'

/** Encrypts for `recipient`: a crypto_box if there is a sender (with its nonce as `iv`), else a sealed box. */
export const encryptByAgreement = (
  sender: Kms.KmsJwkPrivate | undefined,
  recipient: Kms.KmsJwkPublicOkp,
  content: Uint8Array,
  nonce: Uint8Array = randomBytes(NONCE_LENGTH),
): Kms.KmsEncryptReturn => {
  const publicKey = bytes(recipient.x)
  if (!sender) return { encrypted: Uint8Array.from(orRefuse('encrypt', () => seal(content, publicKey))) }
  const privateKey = agreementKey(sender)
  const encrypted = orRefuse('encrypt', () => box(content, nonce, publicKey, privateKey))
  return { encrypted: Uint8Array.from(encrypted), iv: Uint8Array.from(nonce) }
}

/** Decrypts what came for `recipient`: a crypto_box if the sender's key is known, else a sealed box. */
export const decryptByAgreement = (
  recipient: Kms.KmsJwkPrivate,
  sender: Kms.KmsJwkPublicOkp | undefined,
  encrypted: Uint8Array,
  nonce: Uint8Array | undefined,
): Uint8Array<ArrayBuffer> => {
  const privateKey = agreementKey(recipient)
  if (!sender) return Uint8Array.from(orRefuse('decrypt', () => openSealed(encrypted, privateKey)))
  if (!nonce) throw new Kms.KeyManagementError('An authenticated box cannot be decrypted without its nonce (iv)')
  return Uint8Array.from(orRefuse('decrypt', () => openBox(encrypted, nonce, bytes(sender.x), privateKey)))
}

/** The X25519 key of a stored one: the keys of DIDComm v1 are Ed25519 and used as X25519. */
const agreementKey = (jwk: Kms.KmsJwkPrivate): KeyObject => {
  Kms.assertAllowedKeyDerivationAlgForKey(jwk, 'ECDH-HSALSA20')
  Kms.assertKeyAllowsDerive(jwk)
  if (jwk.kty === 'OKP') return jwk.crv === 'Ed25519' ? x25519OfEd25519(bytes(jwk.d)) : x25519PrivateKey(bytes(jwk.d))
  throw new Kms.KeyManagementError(`${Kms.getJwkHumanDescription(jwk)} cannot be used with algorithm 'ECDH-HSALSA20'`)
}

const bytes = (base64url: string): Uint8Array => Buffer.from(base64url, 'base64url')

/** Runs a cipher; what it throws (altered content, a key that is none) becomes Credo's error. */
const orRefuse = <T>(operation: 'encrypt' | 'decrypt', act: () => T): T => {
  try {
    return act()
  } catch (error) {
    throw new Kms.KeyManagementError(
      `The key agreement could not ${operation} this`,
      error instanceof Error ? { cause: error } : {},
    )
  }
}
