/** How a value of a credential is encoded as the number that is signed (Aries RFC 0036, "Encoding Claims for Indy-based Verifiable Credentials"). */
import { createHash } from 'node:crypto'

/** AnonCreds counts in 32 bits, with a sign. */
export const MAX_INT32 = 2 ** 31 - 1

export const isInt32 = (raw: string): boolean =>
  /^-?\d+$/.test(raw) && Number(raw) <= MAX_INT32 && Number(raw) >= -MAX_INT32 - 1

/** A 32-bit integer stands for itself, and anything else for its SHA-256. */
export const encodedValue = (raw: string): string =>
  isInt32(raw) ? BigInt(raw).toString() : BigInt(`0x${createHash('sha256').update(raw).digest('hex')}`).toString()
