/** Checks predicates: exactly the requested ones, on the credential that answers. The library verifies any predicates of a presentation. */
import { commonName } from '../../../../records/anoncreds-objects.ts'
import { MAX_INT32 } from '../values/index.ts'
import { type Answers, quoted, Refused } from './answers.ts'
import type { Presentation } from './presentation.ts'
import type { RequestedPredicate } from './request.ts'

const TYPES = { '>=': 'GE', '>': 'GT', '<=': 'LE', '<': 'LT' } as const

/** The library adds 1 to the value of `>`, subtracts 1 from that of `<`, and overflows at 32 bits. */
const isPossible = ({ p_type, p_value }: RequestedPredicate): boolean =>
  !(p_type === '>' && p_value >= MAX_INT32) && !(p_type === '<' && p_value <= -MAX_INT32 - 1)

const keyOf = (name: string, type: string, value: number): string => JSON.stringify([commonName(name), type, value])

const keyOfAsked = ({ name, p_type, p_value }: RequestedPredicate): string => keyOf(name, TYPES[p_type], p_value)

/** Throws `Refused`. */
export const assertPredicates = ({ predicates }: Answers, { proof: { proofs } }: Presentation): void => {
  for (const { referent, asked } of predicates)
    if (!isPossible(asked)) throw new Refused(`no number satisfies the predicate ${quoted(referent)}`)
  for (const [index, { primary_proof }] of proofs.entries()) {
    const { ge_proofs, eq_proof } = primary_proof
    const answered = predicates.filter(({ subProof }) => subProof === index)
    const proved = ge_proofs.map(({ predicate }) => keyOf(predicate.attr_name, predicate.p_type, predicate.value))
    for (const { referent, asked } of answered)
      if (!proved.includes(keyOfAsked(asked))) throw new Refused(`the predicate ${quoted(referent)} is not proved`)
    // A predicate that was requested twice is proved once.
    if (proved.length !== new Set(answered.map(({ asked }) => keyOfAsked(asked))).size)
      throw new Refused('a credential proves predicates that were not asked for')
    for (const { mj, predicate } of ge_proofs) {
      // Otherwise the predicate could be about another number than the signed one.
      if (!Object.hasOwn(eq_proof.m, predicate.attr_name) || eq_proof.m[predicate.attr_name] !== mj)
        throw new Refused('a predicate is not about the value in the credential')
    }
  }
}
