/** Digests of SD-JWTs, all of them with SHA-256. */
import { createHash } from 'node:crypto'

/** In base64url, of the characters themselves (RFC 9901, section 4.2.3). */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
