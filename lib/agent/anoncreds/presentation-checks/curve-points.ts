/** Points of the curve of non-revocation proofs (BN254 as Apache Milagro has it), from the text in a proof to the bytes that are hashed. */
import { Refused } from './answers.ts'

const P = 0x2523648240000001ba344d80000000086121000000000013a700000000000013n

/** Numbers are kept multiplied by 2^280 (Montgomery form). */
const MONTGOMERY = 1n << 280n

const BYTES = 32
const LENGTH = 4 * BYTES

const modulo = (value: bigint): bigint => ((value % P) + P) % P

/** By Fermat's little theorem. */
const inverse = (value: bigint): bigint => {
  let [result, base, exponent] = [1n, modulo(value), P - 2n]
  for (; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * base) % P
    base = (base * base) % P
  }
  return result
}

const FROM_MONTGOMERY = inverse(MONTGOMERY)

/** `<excess> <number>` each, in hexadecimal. */
const numbersOf = (text: string, count: number): bigint[] => {
  const words = text.split(' ')
  if (words.length !== 2 * count) throw new Refused('a point of the proof has another form')
  return words.filter((_, index) => index % 2 === 1).map((word) => modulo(BigInt(`0x${word}`) * FROM_MONTGOMERY))
}

const toBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(2 * BYTES, '0'), 'hex')

const padded = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts, LENGTH)

/** Of a point `x y z` of the curve: 4, x/z and y/z, filled up with zeros. */
export const pointBytes = (text: string): Uint8Array => {
  const [x = 0n, y = 0n, z = 0n] = numbersOf(text, 3)
  const scale = inverse(z)
  return padded(Buffer.of(4), toBytes(modulo(x * scale)), toBytes(modulo(y * scale)))
}

/** Of a point of the twisted curve, each of whose coordinates is a + bi, with i² = -1. */
export const twistedPointBytes = (text: string): Uint8Array => {
  const [xa = 0n, xb = 0n, ya = 0n, yb = 0n, za = 0n, zb = 0n] = numbersOf(text, 6)
  const norm = inverse(za * za + zb * zb)
  // x / z is x times the conjugate of z, divided by its norm.
  const divided = (a: bigint, b: bigint) => [modulo((a * za + b * zb) * norm), modulo((b * za - a * zb) * norm)]
  return padded(...[...divided(xa, xb), ...divided(ya, yb)].map(toBytes))
}
