/** The retry plans: how long, how often, how far a receiver may bend them. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  hidingSeconds,
  LONGEST_HIDING_SECONDS,
  MESSAGE_PLAN,
  MESSAGE_RECEIPTS,
  nextDelay,
  WEBHOOK_PLAN,
} from '../../../lib/delivery/retry-plan.ts'

const HOUR = 3_600_000

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const attemptOf = (attempts: number) => fc.integer({ min: 1, max: attempts - 1 })

const total = (plan: typeof MESSAGE_PLAN, chance: number) =>
  Array.from(
    { length: plan.attempts - 1 },
    (_, index) => nextDelay(plan, { attempt: index + 1, random: chance }) ?? 0,
  ).reduce((sum, delay) => sum + delay, 0)

describe('messages to wallets', () => {
  test('should double from 1 s to 5 min', () => {
    const planned = Array.from({ length: 11 }, (_, index) => MESSAGE_PLAN.planned(index + 1) / 1000)
    expect(planned).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  })

  test('should go on for about a day', () => {
    expect(total(MESSAGE_PLAN, 0.5) / HOUR).toBeCloseTo(24, 1)
  })

  test('should stay under what a queue can count', () => {
    expect(MESSAGE_RECEIPTS).toBeLessThanOrEqual(1000)
    expect(MESSAGE_RECEIPTS).toBeGreaterThan(MESSAGE_PLAN.attempts)
  })

  test('should wait anything up to the planned delay', () => {
    fc.assert(
      fc.property(attemptOf(MESSAGE_PLAN.attempts), random, (attempt, chance) => {
        const delay = nextDelay(MESSAGE_PLAN, { attempt, random: chance }) ?? Number.NaN
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(MESSAGE_PLAN.planned(attempt))
      }),
    )
  })
})

describe('events to webhook endpoints', () => {
  test('should follow the schedule of Standard Webhooks', () => {
    const planned = Array.from({ length: 9 }, (_, index) => WEBHOOK_PLAN.planned(index + 1) / 1000)
    expect(planned).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    expect(WEBHOOK_PLAN.attempts).toBe(10)
  })

  test('should stay within 20 % of the planned delay', () => {
    fc.assert(
      fc.property(attemptOf(WEBHOOK_PLAN.attempts), random, (attempt, chance) => {
        const planned = WEBHOOK_PLAN.planned(attempt)
        const delay = nextDelay(WEBHOOK_PLAN, { attempt, random: chance }) ?? Number.NaN
        expect(Math.abs(delay - planned)).toBeLessThanOrEqual(planned * 0.2 + 1e-6)
      }),
    )
  })
})

describe.each([
  ['messages', MESSAGE_PLAN],
  ['webhooks', WEBHOOK_PLAN],
])('any plan (%s)', (_name, plan) => {
  test('should end with its last attempt', () => {
    expect(nextDelay(plan, { attempt: plan.attempts - 1, random: 0 })).toBeDefined()
    expect(nextDelay(plan, { attempt: plan.attempts, random: 0 })).toBeUndefined()
    expect(nextDelay(plan, { attempt: plan.attempts + 1, random: 0, retryAfter: 1000 })).toBeUndefined()
  })

  test('should let a receiver ask for between half and double of the planned delay', () => {
    fc.assert(
      fc.property(
        attemptOf(plan.attempts),
        random,
        fc.double({ min: 0, max: 1e15, noNaN: true }),
        (attempt, chance, retryAfter) => {
          const planned = plan.planned(attempt)
          const delay = nextDelay(plan, { attempt, random: chance, retryAfter }) ?? Number.NaN
          expect(delay).toBeGreaterThanOrEqual(planned / 2)
          expect(delay).toBeLessThanOrEqual(planned * 2)
          if (retryAfter >= planned / 2 && retryAfter <= planned * 2) expect(delay).toBe(retryAfter)
        },
      ),
    )
  })
})

describe('hiding', () => {
  test('should take one step for what a queue can hide, in whole seconds', () => {
    expect(hidingSeconds(5_001, 0)).toBe(6)
    expect(hidingSeconds(5_000, 5_000)).toBe(0)
    expect(hidingSeconds(5_000, 9_000)).toBe(0)
  })

  test('should take steps for what is longer, which end at the due time and never before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 72 * HOUR }), (delay) => {
        let now = 0
        let steps = 0
        for (let seconds = hidingSeconds(delay, now); seconds > 0; seconds = hidingSeconds(delay, now)) {
          expect(seconds).toBeLessThanOrEqual(LONGEST_HIDING_SECONDS)
          now += seconds * 1000
          steps += 1
        }
        expect(now).toBeGreaterThanOrEqual(delay)
        expect(now).toBeLessThan(delay + 1000)
        expect(steps).toBe(Math.ceil(delay / (LONGEST_HIDING_SECONDS * 1000)))
      }),
    )
  })
})
