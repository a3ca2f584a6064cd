/** Of which time this agent's proof requests want a proof that a credential is not revoked. */
import { expect, test } from 'vitest'
import { withWholeIntervals } from '../../../../lib/agent/formats/anoncreds/proof-messages.ts'

const REQUEST = { name: 'degree', version: '1.0' }
const PREDICATE = { name: 'age', p_type: '>=' as const, p_value: 18 }

test('an interval without a beginning becomes its end alone, in every place, and one with both is unchanged', () => {
  const request = withWholeIntervals({
    ...{ ...REQUEST, non_revoked: { to: 30 } },
    requested_attributes: {
      a: { name: 'a', non_revoked: { to: 10 } },
      b: { name: 'b', non_revoked: { from: 1, to: 10 } },
    },
    requested_predicates: { p: { ...PREDICATE, non_revoked: { to: 20 } }, q: PREDICATE },
  })
  expect(request).toEqual({
    ...{ ...REQUEST, non_revoked: { from: 30, to: 30 } },
    requested_attributes: {
      a: { name: 'a', non_revoked: { from: 10, to: 10 } },
      b: { name: 'b', non_revoked: { from: 1, to: 10 } },
    },
    requested_predicates: { p: { ...PREDICATE, non_revoked: { from: 20, to: 20 } }, q: PREDICATE },
  })
})

test('a request that wants no such proof is as it was, and has both lists', () => {
  expect(withWholeIntervals(undefined)).toBeUndefined()
  expect(withWholeIntervals(REQUEST)).toEqual({ ...REQUEST, requested_attributes: {}, requested_predicates: {} })
})
