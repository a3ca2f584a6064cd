/** Hostile receivers in the simulation: they delay only their own messages, or others once. */
import { FULL } from '../support/depth.ts'
import '../simulation/queue-urls.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type HostileResult, runHostile, runTarpits, tarpitSize } from '../simulation/hostile-receivers.ts'
import { UNAVAILABLE } from '../simulation/service.ts'

test.each([500, 503])(
  'fifty connections that their mediator answers with %i delay the healthy ones behind it once, by at most 30 s',
  async (status) => {
    const result = await runHostile({ after: 20, status })
    expect(result.max).toBeLessThanOrEqual(30_000)
    expect(result).toMatchObject({ healthyMessages: 900, delayedTwice: 0, faults: [] })
  },
)

test.each(FULL ? [45, 130] : [45])(
  '%i connections that a mediator answers with 503, each at its own address, delay no other connection behind it',
  async (hostile) => {
    const result = await runHostile(UNAVAILABLE, { hostile, ownAddresses: true })
    expect(result.max).toBeLessThanOrEqual(1_000)
    expect(result).toMatchObject({ healthyMessages: 900, closings: 0, faults: [] })
  },
)

describe('endpoints that answer after 14 s', () => {
  const size = { healthy: 40, fast: 200, slow: 50, end: 4 * 60_000 }
  let alone: HostileResult

  beforeAll(async () => {
    alone = await runTarpits({ ...size, tarpits: 0, atOnce: 'new' })
  })

  test.each([
    ['all new, concurrently, behind the tenants of healthy ones', { atOnce: 'new', sameTenants: true }],
    ['all known to be quick until then', { atOnce: 'primed' }],
  ] as const)('%s, do not delay healthy ones', async (_name, how) => {
    const beside = await runTarpits({ ...size, tarpits: 500, ...how })
    expect(beside.healthyMessages).toBe(alone.healthyMessages)
    expect(beside.p95).toBeLessThanOrEqual(1.2 * alone.p95)
    expect(beside.faults).toEqual([])
  })
})

test('endpoints that answer after 14 s, each under its own host name, do not delay healthy ones', async () => {
  const size = tarpitSize(1 / 100)
  const alone = await runTarpits({ ...size, tarpits: 0 })
  const beside = await runTarpits(size)
  expect(beside.healthyMessages).toBe(alone.healthyMessages)
  expect(beside.p95).toBeLessThanOrEqual(1.2 * alone.p95)
})
