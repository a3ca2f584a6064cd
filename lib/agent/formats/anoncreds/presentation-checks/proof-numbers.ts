/**
 * Checks the numbers of a presentation's proofs: their ranges (Camenisch and Lysyanskaya; AnonCreds specification,
 * "Verify Presentation"), and the commitments in the challenge, with points of the curve BN254 as Apache Milagro writes
 * them. The library checks neither, and a proof without them proves nothing.
 */
import { PresentationError } from './assignments.ts'
import type { Presentation, SubProof } from './presentation.ts'

const P = 0x2523648240000001ba344d80000000086121000000000013a700000000000013n

/** Numbers are stored multiplied by 2^280 (Montgomery form). */
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
  if (words.length !== 2 * count) throw new PresentationError('a point of the proof must have its coordinates')
  return words.filter((_, index) => index % 2 === 1).map((word) => modulo(BigInt(`0x${word}`) * FROM_MONTGOMERY))
}

const toBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(2 * BYTES, '0'), 'hex')

const padded = (...parts: Uint8Array[]): Uint8Array => Buffer.concat(parts, LENGTH)

/** The hashed bytes of a curve point `x y z`: 4, x/z and y/z, padded with zeros. */
const pointBytes = (text: string): Uint8Array => {
  const [x = 0n, y = 0n, z = 0n] = numbersOf(text, 3)
  const scale = inverse(z)
  return padded(Buffer.of(4), toBytes(modulo(x * scale)), toBytes(modulo(y * scale)))
}

/** The hashed bytes of a point of the twisted curve. Each coordinate is a + bi, with i² = -1. */
const twistedPointBytes = (text: string): Uint8Array => {
  const [xa = 0n, xb = 0n, ya = 0n, yb = 0n, za = 0n, zb = 0n] = numbersOf(text, 6)
  const norm = inverse(za * za + zb * zb)
  // x / z is x times the conjugate of z, divided by its norm.
  const divided = (a: bigint, b: bigint) => [modulo((a * za + b * zb) * norm), modulo((b * za - a * zb) * norm)]
  return padded(...[...divided(xa, xb), ...divided(ya, yb)].map(toBytes))
}

/** One bit more than the longest numbers of an honest prover, whose masks have 456 and 593 bits. */
const MAX_E = 1n << 457n
const MAX_M = 1n << 594n

const SQUARES = [0, 1, 2, 3, 'DELTA'] as const

/** Big-endian and without leading zeros, as the library hashes numbers. */
const bytesOf = (digits: string): Buffer => {
  const hex = BigInt(digits).toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

const assertRanges = ({ primary_proof: { eq_proof, ge_proofs } }: SubProof): void => {
  const hidden = [...Object.values(eq_proof.m), ...ge_proofs.map(({ mj }) => mj)]
  if (BigInt(eq_proof.e) >= MAX_E || hidden.some((digits) => BigInt(digits) >= MAX_M))
    throw new PresentationError('a number of the proof is out of its range')
}

/** The prover's commitments in the order of the challenge: non-revocation, signature, predicates. */
const commitmentsOf = ({ primary_proof: { eq_proof, ge_proofs }, non_revoc_proof }: SubProof): Uint8Array[] => [
  ...(non_revoc_proof === undefined || non_revoc_proof === null ? [] : nonRevocationBytes(non_revoc_proof.c_list)),
  bytesOf(eq_proof.a_prime),
  ...ge_proofs.flatMap(({ t }) => SQUARES.map((index) => bytesOf(t[index]))),
]

const nonRevocationBytes = ({ e, d, a, g, w, s, u }: NonNullable<SubProof['non_revoc_proof']>['c_list']) => [
  ...[e, d, a, g].map(pointBytes),
  ...[w, s, u].map(twistedPointBytes),
]

/** Throws `PresentationError`. */
export const assertProofNumbers = ({ proof: { proofs, aggregated_proof } }: Presentation): void => {
  for (const subProof of proofs) assertRanges(subProof)
  const expected = proofs.flatMap(commitmentsOf)
  const { c_list } = aggregated_proof
  const isSame = (bytes: readonly number[], index: number) => Buffer.from(bytes).equals(expected[index] ?? Buffer.of())
  if (c_list.length !== expected.length || !c_list.every(isSame))
    throw new PresentationError('the challenge of the proof does not consist of its commitments')
}
