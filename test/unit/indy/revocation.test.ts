/** Lists of who is revoked, out of a ledger's indexes and back. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entryValue, statusList } from '../../../lib/indy/revocation.ts'

const ISSUED = { issuanceType: 'ISSUANCE_BY_DEFAULT', maxCredNum: 4 } as const

test('the last index of a registry of indy-sdk, which is its size, makes the list one longer', () => {
  expect(statusList(ISSUED, { issued: [], revoked: [4] })).toEqual([0, 0, 0, 0, 1])
  expect(statusList(ISSUED, { issued: [0, 1, 2, 3], revoked: [] })).toEqual([0, 0, 0, 0])
})

test.each([
  ['an index after the last one', { issued: [], revoked: [5] }],
  ['an index that is issued after the last one', { issued: [5], revoked: [] }],
  ['an index in both lists', { issued: [2], revoked: [2] }],
])('%s is not an index of the registry', (_, indexes) => {
  expect(() => statusList(ISSUED, indexes)).toThrow(/an index that/)
})

test('a registry of 40,000 whose every credential is revoked has a list', () => {
  const revoked = Array.from({ length: 40_000 }, (_, index) => index)
  const list = statusList({ ...ISSUED, maxCredNum: 40_000 }, { issued: [], revoked })
  expect(list).toEqual(revoked.map(() => 1))
})

test('the first entry says who is revoked from the beginning', () => {
  expect(entryValue({ accumulator: '21 AA', list: [0, 0, 0] }, undefined)).toEqual({ accum: '21 AA' })
  expect(entryValue({ accumulator: '21 AA', list: [0, 1, 0] }, undefined)).toEqual({ accum: '21 AA', revoked: [1] })
})

test('an entry leads from any list to any other one', () => {
  const list = fc.array(fc.constantFrom(0, 1), { minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(list, list, (before, next) => {
      const { issued = [], revoked = [] } = entryValue(
        { accumulator: '21 BB', list: next },
        { accumulator: '21 AA', list: before },
      )
      const reached = before.map((status, index) => {
        if (issued.includes(index)) return 0
        return revoked.includes(index) ? 1 : status
      })
      expect(reached).toEqual(next)
      // A ledger rejects an entry that changes nothing.
      expect(issued.every((index) => before[index] === 1)).toBe(true)
      expect(revoked.every((index) => before[index] === 0)).toBe(true)
    }),
  )
})
