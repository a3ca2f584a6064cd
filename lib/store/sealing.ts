/** Sealing of what must not lie in the table in the clear: private keys and webhook secrets. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** NIST SP 800-38D, 8.2.2: a random IV of 96 bits. */
const IV = 12
const TAG = 16

/**
 * Seals with AES-256-GCM. `address` (where the sealed bytes will lie) is authenticated: they open nowhere else.
 * Returns IV, tag and ciphertext, in this order.
 */
export const seal = (plaintext: Uint8Array, dataKey: Uint8Array, address: string): Uint8Array => {
  const iv = randomBytes(IV)
  const cipher = createCipheriv('aes-256-gcm', dataKey, iv).setAAD(Buffer.from(address))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
}

/** Opens what `seal` made. Throws where key, address or bytes are not the same. */
export const open = (sealed: Uint8Array, dataKey: Uint8Array, address: string): Uint8Array => {
  const decipher = createDecipheriv('aes-256-gcm', dataKey, sealed.subarray(0, IV), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(address)).setAuthTag(sealed.subarray(IV, IV + TAG))
  return Buffer.concat([decipher.update(sealed.subarray(IV + TAG)), decipher.final()])
}
