/** A tenant that commits more than it delivers: its messages wait in the table, without effects on other tenants. */
import './queue-urls.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { connectionTo, endpointAt, recordAt } from './traffic.ts'
import { MINUTE, quantile, World } from './world.ts'

/** How many messages a FIFO queue looks at: a thirtieth of 120,000. */
const WINDOW = 4_000

/** It responds just quickly enough for the fast queue, from which a tenant then delivers 23 messages a second. */
const ALMOST_SLOW = { after: 1_400, status: 200 }
const QUICK = { after: 50, status: 200 }

/** How long a tenant commits 50 messages or events a second, in ms: at its end more wait than the window holds. */
const FLOOD_MS = 155_000
const FLOOD = (50 * FLOOD_MS) / 1_000

const HEALTHY = 'https://healthy.example'

const run = async (flood: 'messages' | 'events' | 'none') => {
  const world = new World({ fast: 500, slow: 100, window: WINDOW }, ({ origin }) =>
    origin === HEALTHY ? QUICK : ALMOST_SLOW,
  )
  const { newId, start } = world
  const healthy = Array.from({ length: 20 }, () => connectionTo(HEALTHY, newId(), newId()))
  const busy = newId()
  const endpoint = endpointAt('https://busy.example', newId, start)
  await world.register([endpoint])
  const flooded = Array.from({ length: 2_000 }, () =>
    flood === 'events' ? recordAt(endpoint, newId()) : connectionTo('https://busy.example', busy, newId()),
  )
  // Both destinations are known to be quick before it begins.
  world.traffic([...healthy.slice(0, 1), ...flooded.slice(0, 1)], { count: 2, from: 0, until: 1_000 })
  if (flood !== 'none') world.traffic(flooded, { count: FLOOD, from: MINUTE, until: MINUTE + FLOOD_MS })
  world.traffic(healthy, { count: 400, from: MINUTE, until: 5 * MINUTE })
  await world.runUntil(5 * MINUTE)
  const delays = (world.delays.get(HEALTHY) ?? []).map(({ delay }) => delay)
  await world.runUntilTaken(60 * MINUTE)
  world.service.stop()
  const { fast } = world.service.queues
  return { world, p95: quantile(delays, 0.95), max: Math.max(...delays), delays: delays.length, peak: fast.peak }
}

describe('a tenant that commits twice what it delivers', () => {
  let alone: Awaited<ReturnType<typeof run>>

  beforeAll(async () => {
    alone = await run('none')
  })

  test.each(['messages', 'events'] as const)(
    'as %s does not fill the queue of others, and loses nothing',
    async (kind) => {
      const { world, p95, max, delays, peak } = await run(kind)
      expect(delays).toBe(alone.delays)
      expect(p95).toBeLessThanOrEqual(1.2 * alone.p95)
      expect(max).toBeLessThan(5_000)
      expect(peak).toBeLessThan(WINDOW)
      expect([world.acceptedCount, world.errors]).toEqual([world.committed, []])
    },
  )
})
