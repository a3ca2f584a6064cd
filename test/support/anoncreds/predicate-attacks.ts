/** Predicates that were not asked for, or not of the credential that they are said to be of. */

import type { Attack } from './attack.ts'
import { altered, present } from './bare-library.ts'
import { DEGREE, held, instead, OF_AGE, ofAge, proveAge } from './holder.ts'

export const PREDICATE_ATTACKS: Attack[] = [
  {
    name: 'a predicate that the value does not satisfy',
    asked: OF_AGE,
    answer: (request) =>
      altered(proveAge(request, { p_value: 18 }), ({ proof }) => {
        proof.proofs[0].primary_proof.ge_proofs[0].predicate.value = 30
      }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: 'a weaker predicate',
    asked: OF_AGE,
    answer: (request) => proveAge(request, { p_value: 18 }),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: 'a predicate of another type',
    asked: OF_AGE,
    answer: (request) => proveAge(request, { p_type: '<=' }),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: 'a predicate of another attribute',
    asked: OF_AGE,
    answer: (request) => proveAge(request, { name: 'zip' }),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: 'no predicate at all',
    asked: OF_AGE,
    answer: (request) =>
      altered(
        present(instead(request, { requested_attributes: { r0: { name: 'zip' } } }), held().linkSecret, [
          { credential: held().credential, attributes: { r0: false } },
        ]),
        ({ requested_proof }) => {
          requested_proof.unrevealed_attrs = {}
          requested_proof.predicates = { p0: { sub_proof_index: 0 } }
        },
      ),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: "the predicate of a stranger's credential as that of the trusted one",
    asked: { ...OF_AGE, requested_attributes: { r0: { name: 'zip' } } },
    answer: (request) =>
      altered(
        present(
          instead(request, {
            requested_predicates: {
              p0: { name: 'age', p_type: '>=', p_value: 18 },
              p1: { name: 'age', p_type: '>=', p_value: 30 },
            },
            requested_attributes: { r0: { name: 'zip' } },
          }),
          held().linkSecret,
          [
            { credential: held().credential, predicates: ['p0'] },
            { credential: held().strangers, predicates: ['p1'], attributes: { r0: true } },
          ],
        ),
        ({ requested_proof }) => {
          requested_proof.predicates = { p0: { sub_proof_index: 0 } }
        },
      ),
    says: 'the predicate "p0" is not proved',
    passesLibrary: true,
  },
  {
    name: 'a predicate that no number satisfies',
    asked: ofAge({ p_type: '<', p_value: -2_147_483_648 }),
    answer: (request) => proveAge(request, { p_type: '<', p_value: -2_147_483_648 }),
    says: 'no number satisfies the predicate "p0"',
    passesLibrary: true,
  },
  {
    name: 'predicates that were not asked for',
    asked: DEGREE,
    answer: (request) =>
      altered(
        present(instead(request, { ...DEGREE, ...ofAge({ p_value: 18 }) }), held().linkSecret, [
          { credential: held().credential, attributes: { r0: true }, predicates: ['p0'] },
        ]),
        ({ requested_proof }) => {
          requested_proof.predicates = {}
        },
      ),
    says: 'a credential proves predicates that were not requested',
    passesLibrary: true,
  },
]
