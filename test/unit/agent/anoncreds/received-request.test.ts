/** How much a verifier may ask for at once. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { ReceivedRequest } from '../../../../lib/agent/formats/anoncreds/presentation-checks/request.ts'

test('a request has at most 2,000 names and restrictions', () => {
  const isTaken = (count: number) => {
    const restrictions = Array.from({ length: count }, () => ({ issuer_id: 'university' }))
    const requested_attributes = { a: { names: ['degree', 'level'], restrictions } }
    return v.is(ReceivedRequest, { nonce: '1', requested_attributes, requested_predicates: {} })
  }
  // Each restriction counts with its keys.
  expect([isTaken(999), isTaken(1_000)]).toEqual([true, false])
})
