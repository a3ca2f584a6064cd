/** Authenticated encryption with a raw symmetric key: the content of a DIDComm envelope. */
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'

// Aries envelopes call it `xchacha20poly1305_ietf` (RFC 0019), but it is libsodium's ietf variant.
const CIPHER = 'chacha20-poly1305'
const NONCE_LENGTH = 12
// With an explicit length, Node rejects shorter tags, which are easier to forge.
const OPTIONS = { authTagLength: 16 }

interface EncryptedContent {
  encrypted: Uint8Array
  iv: Uint8Array
  tag: Uint8Array
}

/** Encrypts `content` with a new nonce; `aad` is authenticated, not encrypted. */
export const encryptContent = (key: Uint8Array, content: Uint8Array, aad: Uint8Array): EncryptedContent => {
  const iv = randomBytes(NONCE_LENGTH)
  // A KeyObject, because Node takes three times as long with raw bytes.
  const cipher = createCipheriv(CIPHER, createSecretKey(key), iv, OPTIONS)
  cipher.setAAD(aad, { plaintextLength: content.length })
  return { encrypted: Buffer.concat([cipher.update(content), cipher.final()]), iv, tag: cipher.getAuthTag() }
}

/** Decrypts the output of `encryptContent`. Throws if content, nonce, tag or `aad` was altered. */
export const decryptContent = (key: Uint8Array, { encrypted, iv, tag }: EncryptedContent, aad: Uint8Array): Buffer => {
  const decipher = createDecipheriv(CIPHER, createSecretKey(key), iv, OPTIONS)
  decipher.setAuthTag(tag)
  decipher.setAAD(aad, { plaintextLength: encrypted.length })
  return Buffer.concat([decipher.update(encrypted), decipher.final()])
}
