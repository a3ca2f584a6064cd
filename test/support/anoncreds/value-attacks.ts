/** Values that no credential has, or that are not shown, and credentials that do not belong together. */

import type { Attack } from './attack.ts'
import { altered, encoded, newNonce, present } from './bare-library.ts'
import { DEGREE, fromTrusted, held, instead, showDegree } from './holder.ts'

export const VALUE_ATTACKS: Attack[] = [
  {
    name: 'an altered raw value',
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request), ({ requested_proof }) => {
        requested_proof.revealed_attrs.r0.raw = 'Doctor'
      }),
    says: 'the value of "r0" is not the one that is encoded',
    passesLibrary: true,
  },
  {
    name: 'an altered raw value in a group',
    asked: { requested_attributes: { r0: { names: ['degree', 'zip'], restrictions: fromTrusted } } },
    answer: (request) =>
      altered(
        present(request, held().linkSecret, [{ credential: held().credential, attributes: { r0: true } }]),
        ({ requested_proof }) => {
          requested_proof.revealed_attr_groups.r0.values.degree.raw = 'Doctor'
        },
      ),
    says: 'the value of "r0" is not the one that is encoded',
    passesLibrary: true,
  },
  {
    name: 'an altered encoded value',
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request), ({ requested_proof }) => {
        requested_proof.revealed_attrs.r0.encoded = encoded('Doctor')
      }),
    says: 'the value of "r0" is not the one that is encoded',
    passesLibrary: false,
  },
  {
    name: 'an altered value, raw and encoded and in the proof',
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request), ({ requested_proof, proof }) => {
        requested_proof.revealed_attrs.r0 = { sub_proof_index: 0, raw: 'Doctor', encoded: encoded('Doctor') }
        proof.proofs[0].primary_proof.eq_proof.revealed_attrs.degree = encoded('Doctor')
      }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: "another credential's values",
    asked: DEGREE,
    answer: (request) =>
      altered(showDegree(request), ({ requested_proof }) => {
        requested_proof.revealed_attrs.r0 = showDegree(request, held().strangers).requested_proof.revealed_attrs.r0
      }),
    says: 'the values that are shown are not those that a credential reveals',
    passesLibrary: false,
  },
  {
    name: 'a presentation with a nonce that nobody asked with',
    asked: DEGREE,
    answer: (request) => showDegree({ ...request, nonce: newNonce() }),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: 'without an attribute',
    asked: { requested_attributes: { ...DEGREE.requested_attributes, r1: { name: 'zip' } } },
    answer: (request) => showDegree(request),
    says: 'the presentation must have exactly the referents of the request',
    passesLibrary: false,
  },
  {
    name: 'an attribute that is not revealed',
    asked: DEGREE,
    answer: (request) =>
      present(request, held().linkSecret, [{ credential: held().credential, attributes: { r0: false } }]),
    says: 'the attribute "r0" is not revealed',
    passesLibrary: true,
  },
  {
    name: 'a group that is not revealed',
    asked: { requested_attributes: { r0: { names: ['degree', 'zip'] } } },
    answer: (request) =>
      present(request, held().linkSecret, [{ credential: held().credential, attributes: { r0: false } }]),
    says: 'the attribute "r0" is not revealed',
    passesLibrary: true,
  },
  {
    name: "an attribute with a stranger's value, answered a second time by the trusted credential",
    asked: DEGREE,
    answer: (request) =>
      altered(
        present(
          instead(request, { requested_attributes: { r0: { name: 'degree' }, r1: { name: 'degree' } } }),
          held().linkSecret,
          [
            { credential: held().strangers, attributes: { r0: true } },
            { credential: held().credential, attributes: { r1: false } },
          ],
        ),
        ({ requested_proof }) => {
          requested_proof.unrevealed_attrs = { r0: { sub_proof_index: 1 } }
        },
      ),
    says: 'a requested attribute must not be assigned twice',
    passesLibrary: true,
  },
  {
    name: 'a group with an attribute less',
    asked: { requested_attributes: { r0: { names: ['degree', 'zip'] } } },
    answer: (request) =>
      altered(
        present(request, held().linkSecret, [{ credential: held().credential, attributes: { r0: true } }]),
        ({ requested_proof }) => {
          delete requested_proof.revealed_attr_groups.r0.values.zip
        },
      ),
    says: 'the group "r0" must have exactly the attributes that were requested',
    passesLibrary: false,
  },
  {
    name: 'credentials with different link secrets',
    asked: { requested_attributes: { ...DEGREE.requested_attributes, r1: { name: 'zip', restrictions: fromTrusted } } },
    answer: (request) =>
      present(request, held().linkSecret, [
        { credential: held().credential, attributes: { r0: true } },
        { credential: held().otherHolders, attributes: { r1: true } },
      ]),
    says: 'the proof is not valid',
    passesLibrary: false,
  },
  {
    name: 'a credential that answers nothing, before the one that does',
    asked: DEGREE,
    answer: (request) =>
      altered(
        present(
          instead(request, { requested_attributes: { r0: { name: 'degree' }, r1: { name: 'zip' } } }),
          held().linkSecret,
          [
            { credential: held().strangers, attributes: { r1: false } },
            { credential: held().credential, attributes: { r0: true } },
          ],
        ),
        ({ requested_proof }) => {
          requested_proof.unrevealed_attrs = {}
        },
      ),
    says: 'the referents must use exactly the sub-proofs of the presentation',
    passesLibrary: true,
  },
]
