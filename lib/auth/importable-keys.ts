/**
 * Checks that public keys can be imported: a key in an issuer's key set may have the right members and still be
 * invalid.
 */
import { createPublicKey } from 'node:crypto'
import { parseDocument } from '../json.ts'
import { type VerifyingKey, verifyingKeys } from './key-set.ts'

/** RFC 7518, section 3.3. Leading zeros make a modulus longer as text, but not the key. */
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
 * The keys that node:crypto can import. Keys are checked when they are fetched or packed, so that functions which
 * verify tokens start faster.
 */
export const importableKeys = (keys: readonly VerifyingKey[]): VerifyingKey[] => keys.filter(isImportable)

/**
 * The keys of a served key set, or the reason why it is rejected. A set without usable keys is more likely a mistake
 * than intended.
 */
export const keysOfText = (text: string): VerifyingKey[] | string => {
  try {
    const keys = verifyingKeys(parseDocument(text))
    if (typeof keys === 'string') return keys
    const importable = importableKeys(keys)
    return importable.length === 0 ? 'has no key that could verify a token' : importable
  } catch {
    return 'is not JSON'
  }
}
