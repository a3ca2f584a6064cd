/** Authenticated encryption with a raw symmetric key: the content of a DIDComm envelope. */
import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { Kms } from '@credo-ts/core'

/** OpenSSL names by JWA name (and Credo's `C20P`). All use a 12-byte nonce and a 16-byte tag. */
const CIPHERS = {
  // Aries envelopes call it `xchacha20poly1305_ietf` (RFC 0019), but it is libsodium's ietf variant.
  C20P: 'chacha20-poly1305',
  A128GCM: 'aes-128-gcm',
  A256GCM: 'aes-256-gcm',
} as const

const NONCE_LENGTH = 12
const TAG_LENGTH = 16

type ContentEncryptionAlgorithm = keyof typeof CIPHERS

export const isContentEncryptionAlgorithm = (algorithm: string): algorithm is ContentEncryptionAlgorithm =>
  Object.hasOwn(CIPHERS, algorithm)

interface EncryptedContent {
  encrypted: Uint8Array<ArrayBuffer>
  iv: Uint8Array<ArrayBuffer>
  tag: Uint8Array<ArrayBuffer>
}

/** Encrypts `content`; `aad` is authenticated, not encrypted. Creates a nonce if none is given. */
export const encryptContent = (
  algorithm: ContentEncryptionAlgorithm,
  jwk: Kms.KmsJwkPrivateOct,
  content: Uint8Array,
  { iv = randomBytes(NONCE_LENGTH), aad }: { iv?: Uint8Array | undefined; aad?: Uint8Array | undefined },
): EncryptedContent => {
  const cipher = createCipheriv(cipherName(algorithm, iv), contentKey(algorithm, jwk), iv, {
    authTagLength: TAG_LENGTH,
  })
  if (aad) cipher.setAAD(aad, { plaintextLength: content.length })
  const encrypted = Uint8Array.from(Buffer.concat([cipher.update(content), cipher.final()]))
  return { encrypted, iv: Uint8Array.from(iv), tag: Uint8Array.from(cipher.getAuthTag()) }
}

/** Decrypts the output of `encryptContent`. Throws `KeyManagementError` if content, nonce, tag or `aad` was altered. */
export const decryptContent = (
  algorithm: ContentEncryptionAlgorithm,
  jwk: Kms.KmsJwkPrivateOct,
  { encrypted, iv, tag, aad }: { encrypted: Uint8Array; iv: Uint8Array; tag: Uint8Array; aad?: Uint8Array | undefined },
): Uint8Array<ArrayBuffer> => {
  const name = cipherName(algorithm, iv)
  // A shorter tag is easier to forge, and OpenSSL would accept it.
  if (tag.length !== TAG_LENGTH) throw new Kms.KeyManagementError(`The tag of ${algorithm} is ${TAG_LENGTH} bytes long`)
  const decipher = createDecipheriv(name, contentKey(algorithm, jwk), iv, { authTagLength: TAG_LENGTH })
  decipher.setAuthTag(tag)
  if (aad) decipher.setAAD(aad, { plaintextLength: encrypted.length })
  try {
    return Uint8Array.from(Buffer.concat([decipher.update(encrypted), decipher.final()]))
  } catch (error) {
    throw new Kms.KeyManagementError(
      `The content could not be decrypted with ${algorithm}`,
      error instanceof Error ? { cause: error } : {},
    )
  }
}

/** OpenSSL's cipher name, as one type for both families: only Node's types distinguish them. */
const cipherName = (algorithm: ContentEncryptionAlgorithm, iv: Uint8Array): CipherGCMTypes => {
  if (iv.length === NONCE_LENGTH) return CIPHERS[algorithm] as CipherGCMTypes
  throw new Kms.KeyManagementError(`The nonce of ${algorithm} is ${NONCE_LENGTH} bytes long`)
}

/**
 * The key as a KeyObject, because Node takes three times as long for bytes. Throws if it has the wrong length or is for
 * another algorithm.
 */
const contentKey = (algorithm: ContentEncryptionAlgorithm, jwk: Kms.KmsJwkPrivateOct): KeyObject => {
  Kms.assertAllowedEncryptionAlgForKey(jwk, algorithm)
  return createSecretKey(Buffer.from(jwk.k, 'base64url'))
}
