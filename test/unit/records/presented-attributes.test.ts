/** What an AnonCreds presentation claims, sorted for form data. */
import { expect, test } from 'vitest'
import { presentedAttributes } from '../../../lib/records/presented-attributes.ts'

const request = {
  requested_attributes: {
    r0: { name: 'degree' },
    r1: { names: ['First Name', 'zip'] },
    r2: { name: 'nickname' },
    r3: { name: 'age' },
  },
  requested_predicates: { p0: { name: 'age', p_type: '>=', p_value: 18 } },
}

const presentation = {
  requested_proof: {
    revealed_attrs: { r0: { sub_proof_index: 1, raw: 'Bachelor', encoded: '1' } },
    revealed_attr_groups: {
      r1: {
        sub_proof_index: 0,
        values: { 'First Name': { raw: 'Ada', encoded: '2' }, zip: { raw: '8001', encoded: '8001' } },
      },
    },
    self_attested_attrs: { r2: 'ada' },
    unrevealed_attrs: { r3: { sub_proof_index: 0 } },
    predicates: { p0: { sub_proof_index: 0 } },
  },
  identifiers: [
    { schema_id: 's0', cred_def_id: 'd0' },
    { schema_id: 's1', cred_def_id: 'd1' },
  ],
}

const first = { schemaId: 's0', credentialDefinitionId: 'd0' }

test('sorts what is revealed, not revealed, proved and self-attested', () => {
  expect(presentedAttributes(request, presentation)).toEqual({
    revealed: [
      { referent: 'r0', name: 'degree', value: 'Bachelor', schemaId: 's1', credentialDefinitionId: 'd1' },
      { referent: 'r1', name: 'First Name', value: 'Ada', ...first },
      { referent: 'r1', name: 'zip', value: '8001', ...first },
    ],
    unrevealed: [{ referent: 'r3', name: 'age', ...first }],
    predicates: [{ referent: 'p0', name: 'age', p_type: '>=', p_value: 18, ...first }],
    selfAttested: [{ referent: 'r2', name: 'nickname', value: 'ada' }],
  })
})

const NOTHING = { revealed: [], unrevealed: [], predicates: [], selfAttested: [] }

test('leaves out claims that were not requested', () => {
  expect(presentedAttributes({ requested_attributes: {}, requested_predicates: {} }, presentation)).toEqual(NOTHING)
})

test.each([
  [null],
  ['text'],
  [[]],
  [{}],
  [{ requested_proof: [], identifiers: {} }],
  [{ requested_proof: { revealed_attrs: { r0: null, r1: 7 }, self_attested_attrs: { r2: {} }, predicates: 'p0' } }],
  [{ requested_proof: { revealed_attrs: { r0: { raw: 7 } }, revealed_attr_groups: { r1: { values: [] } } } }],
])('shows nothing of what has another form: %j', (garbled) => {
  expect(presentedAttributes(request, garbled)).toEqual(NOTHING)
})

test('shows no predicate without a value in the request', () => {
  for (const predicate of [
    { name: 'age', p_type: '>=' },
    { name: 'age', p_value: 18 },
  ])
    expect(
      presentedAttributes({ ...request, requested_predicates: { p0: predicate } }, presentation).predicates,
    ).toEqual([])
})

test('shows a value of a credential that the presentation does not name', () => {
  const { requested_proof } = presentation
  const [shown] = presentedAttributes(request, { requested_proof, identifiers: 'none' }).revealed
  expect(shown).toEqual({ referent: 'r0', name: 'degree', value: 'Bachelor' })
})
