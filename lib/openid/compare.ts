/** Hashes of secrets, and their comparison. */
import { createHash, timingSafeEqual } from 'node:crypto'

/** In base64url. */
export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url')

/** Compares texts of any length in constant time. */
export const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest())
