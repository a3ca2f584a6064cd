/**
 * Range checks for received numbers: the library reads any number of digits, in quadratic time, and tests numbers of
 * any size for primality. /
 */
import * as v from 'valibot'

/** Only one form of each number: the library reads `7`, `07` and `7x` alike. */
const DIGITS = /^(?:0|[1-9][0-9]*)$/

const isBetween = (digits: string, min: bigint, max: bigint): boolean =>
  digits.length <= max.toString().length && DIGITS.test(digits) && BigInt(digits) >= min && BigInt(digits) <= max

/** A number in decimal digits. A single check, because valibot runs later checks even if an earlier one has failed. */
export const between = (min: bigint, max: bigint) =>
  v.pipe(
    v.string(),
    v.check((digits) => isBetween(digits, min, max), 'must be a number within its range'),
  )

/** A number of at most so many bits. */
export const ofBits = (bits: number) => between(0n, (1n << BigInt(bits)) - 1n)

/** The library creates nonces of 80 bits, other agents may create longer ones. */
export const Nonce = v.pipe(v.string(), v.regex(/^[0-9]{1,100}$/, 'must have a nonce of at most 100 digits'))
