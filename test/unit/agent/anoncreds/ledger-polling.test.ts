/** Pauses between the polls of a ledger. */
import { afterEach, expect, test, vi } from 'vitest'
import { isOverdue, nextPollDelay, overdueReason } from '../../../../lib/agent/formats/anoncreds/ledger-polling.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const SINCE = new Date(START).toISOString()
const DAY = 24 * 60 * 60_000

vi.useFakeTimers({ toFake: ['Date'] })
afterEach(() => vi.setSystemTime(START))

test.each([
  [0, 5_000],
  [50_000, 5_000],
  [50_001, 5_001],
  [61_237, 6_124],
  [36_000_001, 3_600_000],
  [30 * DAY, 3_600_000],
])('after %i ms the next poll is in %i ms, a whole number', (age, pause) => {
  vi.setSystemTime(START + age)
  expect(nextPollDelay(SINCE)).toBe(pause)
})

test('after 30 days it is no longer expected to be written', () => {
  vi.setSystemTime(START + 30 * DAY)
  expect(isOverdue(SINCE)).toBe(false)
  vi.setSystemTime(START + 30 * DAY + 1)
  expect(isOverdue(SINCE)).toBe(true)
})

test.each([
  ['absent', 'it was not written within 30 days'],
  ['unknown', 'its ledger cannot be read'],
] as const)('the tenant reads in the state %s: %s', (state, reason) => {
  expect(overdueReason(state)).toBe(reason)
})
