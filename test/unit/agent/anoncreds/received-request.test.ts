/** How much a verifier may request in one message. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { ReceivedRequest } from '../../../../lib/agent/formats/anoncreds/presentation-checks/request.ts'

test('a request has at most 2,000 names and restrictions', () => {
  const isTaken = (names: string[], count = 0) => {
    const restrictions = (length: number) => Array.from({ length }, () => ({ issuer_id: 'university' }))
    const requested_attributes = { a: { names, restrictions: restrictions(990) } }
    const requested_predicates = { b: { name: 'age', p_type: '>=', p_value: 18, restrictions: restrictions(count) } }
    return v.is(ReceivedRequest, { nonce: '1', requested_attributes, requested_predicates })
  }
  // Each restriction counts with its keys.
  expect([isTaken(['degree'], 9), isTaken(['degree', 'level'], 9)]).toEqual([true, false])
})

test.each(['attributes', 'predicates'])('a request has at most 100 %s', (of) => {
  const item = of === 'attributes' ? { name: 'age' } : { name: 'age', p_type: '>=', p_value: 18 }
  const isTaken = (count: number) => {
    const items = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, item]))
    const empty = { requested_attributes: {}, requested_predicates: {} }
    return v.is(ReceivedRequest, { nonce: '1', ...empty, [`requested_${of}`]: items })
  }
  expect([isTaken(100), isTaken(101)]).toEqual([true, false])
})

test.each<[string, object, boolean]>([
  ['a name of 256 characters', { name: 'x'.repeat(256) }, true],
  ['a name of 257 characters', { name: 'x'.repeat(257) }, false],
  ['an empty name', { name: '' }, false],
  ['the name of a prototype', { name: '__proto__' }, false],
  ['no name', {}, false],
  ['no names', { names: [] }, false],
  ['a name and names', { name: 'age', names: ['age'] }, false],
  ['a name and no names', { name: 'age', names: [] }, false],
  ['an interval from the beginning', { name: 'age', non_revoked: { from: 0, to: 0 } }, true],
  ['an interval in milliseconds and parts of them', { name: 'age', non_revoked: { to: 1.5 } }, false],
  ['an interval before the beginning', { name: 'age', non_revoked: { from: -1 } }, false],
])('an attribute with %s', (_, attribute, isTaken) => {
  const request = { nonce: '1', requested_attributes: { a: attribute }, requested_predicates: {} }
  expect(v.is(ReceivedRequest, request)).toBe(isTaken)
})
