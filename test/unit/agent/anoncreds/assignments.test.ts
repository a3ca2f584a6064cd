import { expect, test } from 'vitest'
import { assignmentsOf } from '../../../../lib/agent/formats/anoncreds/presentation-checks/assignments.ts'

test('a group of attributes is not self-attested', () => {
  const presentation = (self_attested_attrs: Record<string, string>) => ({
    proof: { proofs: [], aggregated_proof: { c_hash: '0', c_list: [] } },
    requested_proof: {
      revealed_attrs: {},
      revealed_attr_groups: {},
      unrevealed_attrs: {},
      predicates: {},
      self_attested_attrs,
    },
    identifiers: [],
  })
  const assign = (attribute: object) =>
    assignmentsOf(
      { nonce: '1', requested_attributes: { a: attribute }, requested_predicates: {} },
      presentation({ a: 'x' }),
    )
  expect(assign({ name: 'degree' }).attributes).toEqual([])
  expect(() => assign({ names: ['degree', 'level'] })).toThrow('the group "a" is self-attested')
})
