/** The census: it counts however much there is. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { takeCensus } from '../../../lib/outbox/sweep.ts'
import { entryWrite, newEntry } from '../../../lib/outbox/waiting-list.ts'
import { type StartedTable, startTable } from '../store/started-table.ts'

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

describe('of lanes that wait for a destination', () => {
  let table: StartedTable

  beforeAll(async () => {
    table = await startTable({ stream: false })
  })
  afterAll(() => table.stop())

  /** That many come to wait, one a second. */
  const waiting = async (destination: string, count: number) => {
    const entries = Array.from({ length: count }, (_, index) => {
      const lane = `acme|ConnectionRecord|${index}`
      const entry = newEntry(lane, NOW + index * 1_000, String(index))
      return entryWrite(destination, { lane, entry, now: NOW + index * 1_000 }).put
    })
    await table.putAll(entries)
    return takeCensus([{ destination, at: NOW }], NOW + count * 1_000)
  }

  test('counts each of 300, and finds the oldest', async () => {
    expect(await waiting('https://few.example', 300)).toEqual({ lanes: 300, age: 300_000 })
  })

  test('says about how many they are where there are many, and finds the oldest, by 17 requests', async () => {
    table.watch()
    const { lanes, age } = await waiting('https://many.example', 4_000)
    expect(table.requests).toHaveLength(17)
    expect(lanes).toBeGreaterThan(3_200)
    expect(lanes).toBeLessThan(4_800)
    expect(age).toBe(4_000_000)
  })
})
