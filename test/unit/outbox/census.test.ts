/** The census counts any number of lanes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Census } from '../../../lib/outbox/census.ts'
import { entryWrite, newEntry } from '../../../lib/outbox/destinations/waiting-list.ts'
import type { DueEntry } from '../../../lib/store/due.ts'
import { type StartedTable, startTable } from '../store/started-table.ts'

const NOW = 1_700_000_000_000

const PAGE = 500

/** Counts entries that are generated page by page. */
const takeCensus = (count: number, entryOf: (index: number) => DueEntry, now = NOW) => {
  const census = new Census(now)
  for (let from = 0; from < count; from += PAGE)
    census.add(Array.from({ length: Math.min(PAGE, count - from) }, (_, index) => entryOf(from + index)))
  return census.result()
}

test('counts 200,000 lanes, and finds the oldest among them', async () => {
  const lane = (index: number): DueEntry => ({
    ...{ kind: 'lane', name: `acme|ConnectionRecord|${index}`, at: NOW },
    since: NOW - (index === 150_000 ? 9_000 : 1_000),
  })
  expect(await takeCensus(200_000, lane)).toEqual({ lanes: 200_000, age: 9_000 })
})

test('counts a lane without a start time as new, and does not count jobs', async () => {
  const kinds = ['lane', 'job'] as const
  const entry = (index: number): DueEntry => ({ kind: kinds[index] ?? 'job', name: 'acme|ConnectionRecord|c', at: NOW })
  expect(await takeCensus(2, entry)).toEqual({ lanes: 1, age: 0 })
})

describe('of lanes that wait for a destination', () => {
  let table: StartedTable

  beforeAll(async () => {
    table = await startTable({ memory: true })
  })
  afterAll(() => table.stop())

  /** Adds this number of waiting lanes, one a second. */
  const waiting = async (destination: string, count: number) => {
    const entries = Array.from({ length: count }, (_, index) => {
      const lane = `acme|ConnectionRecord|${index}`
      const entry = newEntry(lane, NOW + index * 1_000, String(index))
      return entryWrite(destination, { lane, entry, now: NOW + index * 1_000 }).put
    })
    await table.putAll(entries)
    return takeCensus(1, () => ({ kind: 'destination', name: destination, at: NOW }), NOW + count * 1_000)
  }

  test('counts each of 300, and finds the oldest', async () => {
    expect(await waiting('https://few.example', 300)).toEqual({ lanes: 300, age: 300_000 })
  })

  test('reads the lists of 200 destinations, and counts each further one as a lane', async () => {
    table.watch()
    const down = (index: number): DueEntry => ({ kind: 'destination', name: `https://${index}.example`, at: NOW })
    expect(await takeCensus(300, down)).toEqual({ lanes: 100, age: 0 })
    expect(table.requests).toHaveLength(200 * 16)
  })

  test('estimates the number of many lanes, and finds the oldest, with 17 requests', async () => {
    table.watch()
    const { lanes, age } = await waiting('https://many.example', 4_000)
    expect(table.requests).toHaveLength(17)
    expect(lanes).toBeGreaterThan(3_200)
    expect(lanes).toBeLessThan(4_800)
    expect(age).toBe(4_000_000)
  })
})
