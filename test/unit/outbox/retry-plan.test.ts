/** The retry plans: delays, number of attempts, and the limits of `Retry-After`. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MESSAGE_PLAN, nextAttemptAt, type RetryPlan, WEBHOOK_PLAN } from '../../../lib/outbox/lanes/retry-plan.ts'

const HOUR = 3_600_000

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const failures = fc.integer({ min: 1, max: 1_000 })

/** The next attempt after a failure at 0, of an item with a long lifetime. */
const delayAfter = (plan: RetryPlan, count: number, chance: number, retryAfter?: number): number =>
  nextAttemptAt(plan, { failures: count, random: chance, retryAfter, now: 0, giveUpAt: 1e15 }) ?? Number.NaN

/** The times of attempts from 0 on, if each fails immediately. */
const attempts = (plan: RetryPlan, chance: number, retryAfter?: number): number[] => {
  const at = [0]
  for (;;) {
    const failed = { failures: at.length, random: chance, retryAfter, now: at.at(-1) ?? 0, giveUpAt: plan.lifetime }
    const next = nextAttemptAt(plan, failed)
    if (next === undefined) return at
    at.push(next)
  }
}

describe('messages to wallets', () => {
  test('should double from 1 s to 5 min', () => {
    const planned = Array.from({ length: 11 }, (_, index) => MESSAGE_PLAN.plannedDelay(index + 1) / 1000)
    expect(planned).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  })

  test('should last for a day', () => {
    expect(MESSAGE_PLAN.lifetime / HOUR).toBe(24)
    expect(attempts(MESSAGE_PLAN, 0.5).length).toBeGreaterThan(500)
  })

  test('should wait for a random part of the planned delay', () => {
    fc.assert(
      fc.property(failures, random, (count, chance) => {
        const delay = delayAfter(MESSAGE_PLAN, count, chance)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(MESSAGE_PLAN.plannedDelay(count))
      }),
    )
  })
})

describe('events to webhook endpoints', () => {
  test('should follow the schedule of Standard Webhooks, ten attempts in all', () => {
    const planned = Array.from({ length: 9 }, (_, index) => WEBHOOK_PLAN.plannedDelay(index + 1) / 1000)
    expect(planned).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    const at = attempts(WEBHOOK_PLAN, 0.5)
    expect(at.slice(1).map((time, index) => (time - (at[index] ?? 0)) / 1000)).toEqual(planned)
  })

  test('should stay within 20 % of the planned delay', () => {
    fc.assert(
      fc.property(failures, random, (count, chance) => {
        const planned = WEBHOOK_PLAN.plannedDelay(count)
        expect(Math.abs(delayAfter(WEBHOOK_PLAN, count, chance) - planned)).toBeLessThanOrEqual(planned * 0.2 + 1)
      }),
    )
  })
})

describe.each([
  ['messages', MESSAGE_PLAN],
  ['webhooks', WEBHOOK_PLAN],
])('any plan (%s)', (_name, plan) => {
  test('should make its last attempt at the end of its lifetime, for any `Retry-After`', () => {
    const asked = fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: undefined })
    // A delay of 0 each time would never end.
    const chance = fc.double({ min: 0.1, max: 0.999, noNaN: true })
    fc.assert(
      fc.property(chance, asked, (one, retryAfter) => {
        expect(attempts(plan, one, retryAfter).at(-1)).toBe(plan.lifetime)
      }),
      { numRuns: 30 },
    )
    const late = { failures: 1, random: 0, retryAfter: 1_000, giveUpAt: plan.lifetime }
    expect(nextAttemptAt(plan, { ...late, now: plan.lifetime })).toBeUndefined()
    expect(nextAttemptAt(plan, { ...late, now: plan.lifetime + 1 })).toBeUndefined()
  })

  test('should limit `Retry-After` to between half and double of the planned delay', () => {
    const asked = fc.double({ min: 0, max: 1e15, noNaN: true })
    fc.assert(
      fc.property(failures, random, asked, (count, chance, retryAfter) => {
        const planned = plan.plannedDelay(count)
        const delay = delayAfter(plan, count, chance, retryAfter)
        expect(delay).toBeGreaterThanOrEqual(planned / 2)
        expect(delay).toBeLessThanOrEqual(planned * 2)
        if (retryAfter >= planned / 2 && retryAfter <= planned * 2) expect(delay).toBe(Math.ceil(retryAfter))
      }),
    )
  })

  test('should return whole milliseconds, for the index `due`', () => {
    fc.assert(
      fc.property(failures, random, (count, chance) => {
        expect(Number.isInteger(delayAfter(plan, count, chance))).toBe(true)
      }),
    )
  })
})
