/** The census: it counts however much there is. */
import { expect, test } from 'vitest'
import { takeCensus } from '../../../lib/outbox/census.ts'

const NOW = 1_700_000_000_000

test('counts 200,000 lanes, and finds the oldest among them', async () => {
  const entries = Array.from({ length: 200_000 }, (_, index) => ({
    lane: `acme|ConnectionRecord|${index}`,
    at: NOW,
    since: NOW - (index === 150_000 ? 9_000 : 1_000),
  }))
  expect(await takeCensus(entries, NOW)).toEqual({ lanes: 200_000, age: 9_000 })
})

test('takes a lane that does not say since when it waits for a new one', async () => {
  expect(await takeCensus([{ lane: 'acme|ConnectionRecord|c', at: NOW }], NOW)).toEqual({ lanes: 1, age: 0 })
})
