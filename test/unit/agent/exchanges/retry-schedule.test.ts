/** When a presentation is verified again that could not be verified. */
import { expect, test } from 'vitest'
import { nextAttemptDelay } from '../../../../lib/agent/exchanges/retry-schedule.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The ages at which it is verified, where each attempt is late by `late` ms. */
const attempts = (late: number): number[] => {
  const ages: number[] = []
  for (let pause = nextAttemptDelay(0); pause !== undefined; pause = nextAttemptDelay(ages.at(-1) ?? 0))
    ages.push((ages.at(-1) ?? 0) + pause + late)
  return ages
}

test.each([0, 1, 999, MINUTE, 10 * MINUTE, DAY])('at most 20 times in a day, each %i ms late', (late) => {
  const ages = attempts(late)
  expect(ages.length).toBeLessThanOrEqual(20)
  expect(ages.at(-1)).toBeGreaterThanOrEqual(DAY)
  expect(ages.every((age) => Number.isSafeInteger(age))).toBe(true)
})

test('on time: after half a minute, after growing pauses, and at the end of the day', () => {
  const ages = attempts(0)
  expect(ages).toHaveLength(20)
  expect(ages[0]).toBe(30_000)
  expect(ages.at(-1)).toBe(DAY)
  const pauses = ages.map((age, index) => age - (ages[index - 1] ?? 0)).slice(0, -1)
  expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
})
