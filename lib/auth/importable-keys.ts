/** Public keys that can be imported: a key set that comes from outside may hold one that has the right members and is none. */
import { createPublicKey } from 'node:crypto'
import { type VerifyingKey, verifyingKeys } from './key-set.ts'

/** RFC 7518, section 3.3. Zeros in front of a modulus make its text long, not the key. */
const MIN_MODULUS_BITS = 2048

const isImportable = (key: VerifyingKey): boolean => {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' })
    return key.kty !== 'RSA' || (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_MODULUS_BITS
  } catch {
    return false
  }
}

/**
 * The keys that node:crypto imports. They are checked when they are fetched or packed: a function that verifies tokens does not pay for it
 * at its start.
 */
export const importableKeys = (keys: readonly VerifyingKey[]): VerifyingKey[] => keys.filter(isImportable)

/**
 * The keys of a set as it is served; or, as a text, why it is none to be trusted. One without any key is more often a fault than what the
 * issuer means.
 */
export const keysOfText = (text: string): VerifyingKey[] | string => {
  try {
    const keys = verifyingKeys(JSON.parse(text))
    if (typeof keys === 'string') return keys
    const importable = importableKeys(keys)
    return importable.length === 0 ? 'has no key that could verify a token' : importable
  } catch {
    return 'is no JSON'
  }
}
