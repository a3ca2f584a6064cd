/**
 * Checks predicates: exactly the requested ones, on the assigned credential. The library verifies any predicates of a
 * presentation.
 */
import { commonName, MAX_INT32 } from '../../../../records/anoncreds-objects.ts'
import { type Assignments, PresentationError, quoted } from './assignments.ts'
import type { Presentation } from './presentation.ts'
import type { RequestedPredicate } from './request.ts'

const TYPES = { '>=': 'GE', '>': 'GT', '<=': 'LE', '<': 'LT' } as const

/** The library adds 1 to the value of `>`, subtracts 1 from that of `<`, and overflows at 32 bits. */
const isPossible = ({ p_type, p_value }: RequestedPredicate): boolean =>
  !(p_type === '>' && p_value >= MAX_INT32) && !(p_type === '<' && p_value <= -MAX_INT32 - 1)

const keyOf = (name: string, type: string, value: number): string => JSON.stringify([commonName(name), type, value])

const keyOfRequested = ({ name, p_type, p_value }: RequestedPredicate): string => keyOf(name, TYPES[p_type], p_value)

/** Throws `PresentationError`. */
export const assertPredicates = ({ predicates }: Assignments, { proof: { proofs } }: Presentation): void => {
  for (const { referent, requested } of predicates)
    if (!isPossible(requested)) throw new PresentationError(`no number satisfies the predicate ${quoted(referent)}`)
  for (const [index, { primary_proof }] of proofs.entries()) {
    const { ge_proofs, eq_proof } = primary_proof
    const assigned = predicates.filter(({ subProof }) => subProof === index)
    const proved = ge_proofs.map(({ predicate }) => keyOf(predicate.attr_name, predicate.p_type, predicate.value))
    for (const { referent, requested } of assigned)
      if (!proved.includes(keyOfRequested(requested)))
        throw new PresentationError(`the predicate ${quoted(referent)} is not proved`)
    // A predicate that was requested twice is proved once.
    if (proved.length !== new Set(assigned.map(({ requested }) => keyOfRequested(requested))).size)
      throw new PresentationError('a credential proves predicates that were not requested')
    for (const { mj, predicate } of ge_proofs) {
      // Otherwise the predicate could be about another number than the signed one.
      if (!Object.hasOwn(eq_proof.m, predicate.attr_name) || eq_proof.m[predicate.attr_name] !== mj)
        throw new PresentationError('a predicate is not about the value in the credential')
    }
  }
}
