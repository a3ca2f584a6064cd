/** Hostile receivers in the simulation: they delay nobody but themselves, or once. */
import './queue-urls.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StartedTable, startTable } from '../unit/store/started-table.ts'
import { runHostile, runTarpits, tarpitSize } from './strangers.ts'

let table: StartedTable

beforeAll(async () => {
  table = await startTable({ stream: false })
})
afterAll(() => table.stop())

test.each([500, 503])(
  'fifty connections that their mediator answers with %i delay the healthy ones behind it once, by at most 30 s',
  async (status) => {
    const result = await runHostile(table, status)
    expect(result.max).toBeLessThanOrEqual(30_000)
    expect(result).toMatchObject({ healthyMessages: 900, delayedTwice: 0, faults: [] })
  },
)

test.each([
  ['all new, at once', { atOnce: 'new' }],
  ['all new, at once, behind the tenants of healthy ones', { atOnce: 'new', sameTenants: true }],
  ['all known to be quick until then', { atOnce: 'primed' }],
] as const)('endpoints that answer after 14 s, %s, do not delay healthy ones', async (_name, how) => {
  const size = { tarpits: 500, healthy: 40, fast: 200, slow: 50, end: 4 * 60_000, ...how }
  const alone = await runTarpits(table, { ...size, tarpits: 0 })
  const beside = await runTarpits(table, size)
  expect(beside.healthyMessages).toBe(alone.healthyMessages)
  expect(beside.p95).toBeLessThanOrEqual(1.2 * alone.p95)
  expect(beside.faults).toEqual([])
})

test('endpoints that answer after 14 s, each under a host name of its own, do not delay healthy ones', async () => {
  const size = tarpitSize(1 / 100)
  const alone = await runTarpits(table, { ...size, tarpits: 0 })
  const beside = await runTarpits(table, size)
  expect(beside.healthyMessages).toBe(alone.healthyMessages)
  expect(beside.p95).toBeLessThanOrEqual(1.2 * alone.p95)
})
