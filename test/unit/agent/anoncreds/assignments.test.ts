/** What a presentation shows for what was requested. */
import { expect, test } from 'vitest'
import { assignmentsOf } from '../../../../lib/agent/formats/anoncreds/presentation-checks/assignments.ts'
import { assertPredicates } from '../../../../lib/agent/formats/anoncreds/presentation-checks/predicates.ts'
import type { Presentation } from '../../../../lib/agent/formats/anoncreds/presentation-checks/presentation.ts'
import { assertRevealedValues } from '../../../../lib/agent/formats/anoncreds/presentation-checks/revealed-values.ts'

const assign = (requested: object, shown: Partial<Presentation['requested_proof']>) =>
  assignmentsOf(
    { nonce: '1', requested_attributes: {}, requested_predicates: {}, ...requested },
    {
      proof: { proofs: [], aggregated_proof: { c_hash: '0', c_list: [] } },
      requested_proof: {
        ...{ revealed_attrs: {}, revealed_attr_groups: {}, unrevealed_attrs: {} },
        ...{ predicates: {}, self_attested_attrs: {}, ...shown },
      },
      identifiers: [],
    },
  )

test('a group of attributes is not self-attested', () => {
  const attested = (attribute: object) =>
    assign({ requested_attributes: { a: attribute } }, { self_attested_attrs: { a: 'x' } })
  expect(attested({ name: 'degree' }).attributes).toEqual([])
  expect(() => attested({ names: ['degree', 'level'] })).toThrow('the group "a" is self-attested')
})

test('a group shows exactly the attributes that were requested', () => {
  const value = { raw: '7', encoded: '7' }
  const shown = (other: string) => () =>
    assign(
      { requested_attributes: { a: { names: ['degree', 'level'] } } },
      { revealed_attr_groups: { a: { sub_proof_index: 0, values: { degree: value, [other]: value } } } },
    )
  expect(shown('zip')).toThrow('the group "a" must have exactly the attributes that were requested')
  expect(shown('level')).toThrow('the referents must use exactly the sub-proofs of the presentation')
})

test('each predicate that was requested is shown, and no other', () => {
  const age = { name: 'age', p_type: '>=', p_value: 18 }
  const says = 'must have exactly the referents of the request'
  expect(() => assign({ requested_predicates: { age } }, {})).toThrow(says)
  expect(() => assign({}, { predicates: { age: { sub_proof_index: 0 } } })).toThrow(says)
})

test.each([
  ['7', '7', true],
  ['8', '7', false],
  ['7', '8', false],
])('two referents that show %s and %s of an attribute, of which 7 is revealed: %s', (first, second, pass) => {
  const shown = (name: string, value: string) => ({
    ...{ referent: name, subProof: 0, requested: { name }, values: new Map([[name, { raw: value, encoded: value }]]) },
  })
  const presentation = { proof: { proofs: [{ primary_proof: { eq_proof: { revealed_attrs: { level: '7' } } } }] } }
  const check = () =>
    assertRevealedValues(
      { attributes: [shown('level', first), shown('Level', second)], predicates: [] },
      Object(presentation),
    )
  if (pass) check()
  else expect(check).toThrow('the values in requested_proof are not those that a credential reveals')
})

test("a phone number that ACA-Py's issuer has encoded as a number is the one that is encoded", () => {
  const value = { raw: '+352621123', encoded: '352621123' }
  const shown = { referent: 'phone', subProof: 0, requested: { name: 'phone' }, values: new Map([['phone', value]]) }
  const presentation = {
    proof: { proofs: [{ primary_proof: { eq_proof: { revealed_attrs: { phone: '352621123' } } } }] },
  }
  assertRevealedValues({ attributes: [shown], predicates: [] }, Object(presentation))
})

test('a predicate that was requested twice is proved once, and no other beside it', () => {
  const requested = { name: 'age', p_type: '>=', p_value: 18 } as const
  const predicates = ['a', 'b'].map((referent) => ({ referent, subProof: 0, requested }))
  const check = (...values: number[]) => {
    const ge_proofs = values.map((value) => ({ mj: '7', predicate: { attr_name: 'age', p_type: 'GE', value } }))
    const proofs = [{ primary_proof: { ge_proofs, eq_proof: { m: { age: '7' } } } }]
    assertPredicates({ attributes: [], predicates }, Object({ proof: { proofs } }))
  }
  check(18)
  for (const values of [
    [18, 30],
    [18, 18],
  ])
    expect(() => check(...values)).toThrow('a credential proves predicates that were not requested')
})
