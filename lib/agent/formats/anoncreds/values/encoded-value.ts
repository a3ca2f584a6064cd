/**
 * Encodes a credential's value as the number that is signed (Aries RFC 0036, "Encoding Claims for Indy-based Verifiable
 * Credentials").
 */
import { hash } from 'node:crypto'
import { MAX_INT32 } from '../../../../records/anoncreds-objects.ts'

export const isInt32 = (raw: string): boolean =>
  /^-?\d+$/.test(raw) && Number(raw) <= MAX_INT32 && Number(raw) >= -MAX_INT32 - 1

/** A 32-bit integer is encoded as itself, any other value as its SHA-256. */
export const encodedValue = (raw: string): string => BigInt(isInt32(raw) ? raw : `0x${hash('sha256', raw)}`).toString()

/** Whether `encoded` is an encoding of a value. The library and ACA-Py encode `+7` as 7, Credo as its SHA-256. */
export const isEncodingOf = (raw: string, encoded: string): boolean => {
  const unsigned = raw.replace(/^\+(?=\d)/, '')
  return encodedValue(raw) === encoded || (isInt32(unsigned) && encodedValue(unsigned) === encoded)
}
