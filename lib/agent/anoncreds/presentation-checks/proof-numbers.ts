/**
 * Numbers of a proof within the ranges that its signature scheme needs (Camenisch and Lysyanskaya; AnonCreds specification, "Verify
 * Presentation"), and commitments that the challenge is made of. The library checks neither, and a proof without them proves nothing.
 */
import { Refused } from './answers.ts'
import { pointBytes, twistedPointBytes } from './curve-points.ts'
import type { Presentation, SubProof } from './presentation.ts'

/** One bit more than the longest that an honest prover can send: its mask has 456 bits, and 593. */
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
    throw new Refused('a number of the proof is out of its range')
}

/** What a prover commits to before the challenge: of non-revocation first, then of the signature, then of the predicates. */
const commitmentsOf = ({ primary_proof: { eq_proof, ge_proofs }, non_revoc_proof }: SubProof): Uint8Array[] => [
  ...(non_revoc_proof === undefined || non_revoc_proof === null ? [] : nonRevocationBytes(non_revoc_proof.c_list)),
  bytesOf(eq_proof.a_prime),
  ...ge_proofs.flatMap(({ t }) => SQUARES.map((index) => bytesOf(t[index]))),
]

const nonRevocationBytes = ({ e, d, a, g, w, s, u }: NonNullable<SubProof['non_revoc_proof']>['c_list']) => [
  ...[e, d, a, g].map(pointBytes),
  ...[w, s, u].map(twistedPointBytes),
]

/** Throws `Refused`. */
export const assertProofNumbers = ({ proof: { proofs, aggregated_proof } }: Presentation): void => {
  for (const subProof of proofs) assertRanges(subProof)
  const expected = proofs.flatMap(commitmentsOf)
  const { c_list } = aggregated_proof
  const isSame = (bytes: readonly number[], index: number) => Buffer.from(bytes).equals(expected[index] ?? Buffer.of())
  if (c_list.length !== expected.length || !c_list.every(isSame))
    throw new Refused('the challenge of the proof is not made of its commitments')
}
