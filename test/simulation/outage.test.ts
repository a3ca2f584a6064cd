/** The simulation at a thousandth of its size: a mediator that is down delays no others, and gets everything when it returns. */
import './queue-urls.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { DEAD, EVENT_OUTAGE, eventSizeOf, runOutage, SHORT, sizeOf } from './outage.ts'
import { HEALTHY, REFUSED, STALLING, UNAVAILABLE } from './service.ts'
import { connectionTo } from './traffic.ts'
import { HOUR, World } from './world.ts'

const size = sizeOf(1 / 1000)

describe('a mediator that is down for an hour', () => {
  let alone: Awaited<ReturnType<typeof runOutage>>

  beforeAll(async () => {
    alone = await runOutage({ ...SHORT, size, failing: undefined })
  })

  test.each([
    ['rejects', REFUSED],
    ['answers 503', UNAVAILABLE],
    ['stalls', STALLING],
  ])(
    'and %s gets one attempt for each probe, and everything in order when it returns, without effects on others',
    async (_name, failing) => {
      const result = await runOutage({ ...SHORT, size, failing })
      expect(result.healthyP95).toBeLessThanOrEqual(1.2 * alone.healthyP95)
      // Those that were in flight when it closed, or that it took to close it, come on top.
      expect(result.attempts).toBeLessThanOrEqual(result.probes + size.fast + 3)
      expect(result.tried).toBeLessThanOrEqual(size.fast + 3)
      // A message of another tenant comes each time, and those of three close it.
      expect(result.closedAfter).toBeLessThanOrEqual((3 * SHORT.sentUntil) / size.messages + failing.after)
      expect(result.recovery).toBeLessThan(15)
      expect(result).toMatchObject({ faults: [], missing: 0, throttled: 0 })
      expect(result.left).toEqual({})
    },
  )
})

test('webhook endpoints that stall for an hour get an attempt a probe, and all events in order when they return', async () => {
  const size = eventSizeOf(1 / 1000)
  const result = await runOutage({ ...SHORT, size, failing: STALLING })
  // Three records close an endpoint.
  expect(result.tried).toBeLessThanOrEqual(3 * (size.endpoints ?? 0))
  expect(result.attempts).toBeLessThanOrEqual(result.probes + 4 * (size.endpoints ?? 0))
  // An endpoint that was down for so long is probed every 5 min.
  expect(result.recovery).toBeLessThan(15)
  expect(result).toMatchObject({ faults: [], missing: 0, throttled: 0 })
  expect(result.left).toEqual({})
})

test.each([
  ['mediator with a message', 'an hour', sizeOf(1 / 1000)],
  ['webhook endpoint with an event', 'an hour and a half', { ...eventSizeOf(1 / 1000), endpoints: 1 }],
])('a %s each %s that stalls for 12 h gets everything within an hour of its return', async (_name, _rate, few) => {
  const outage = { ...EVENT_OUTAGE, downUntil: 12 * HOUR, sentUntil: 12 * HOUR, end: 14 * HOUR }
  const options = { ...outage, size: { ...few, connections: 6, messages: few.endpoints === 1 ? 8 : 12, healthy: 1 } }
  const result = await runOutage({ ...options, failing: STALLING })
  expect(result.recovery).toBeLessThan(60)
  expect(result).toMatchObject({ faults: [], missing: 0 })
  expect(result.left).toEqual({})
})

test('messages to a mediator that stays down are given up, each with one event, and nothing is left', async () => {
  const few = { ...size, connections: 20, messages: 60 }
  // A day has passed for them when the simulation starts.
  const result = await runOutage({
    ...DEAD,
    size: few,
    failing: REFUSED,
    sentUntil: HOUR,
    age: 23 * HOUR,
    end: 4 * HOUR,
    told: true,
  })
  expect(result).toMatchObject({ missing: 60, givenUp: 60, faults: [] })
  expect(result.told).toEqual({ byType: { 'basic_message.sent': 60, 'basic_message.failed': 60 }, twice: 0 })
  expect(result.left).toEqual({})
})

test('messages for a mediator that is up again are sent after an outage of this service, however long they have waited', async () => {
  const isOurs = (elapsed: number) => elapsed > 3 * HOUR && elapsed < 26 * HOUR
  const world: World = new World(
    {
      ...{ fast: 10, slow: 5, window: 1_000 },
      trouble: () => (isOurs(world.elapsed) ? 'functions' : undefined),
    },
    ({ elapsed }) => (elapsed < 4 * HOUR ? REFUSED : HEALTHY),
    5,
  )
  const connections = Array.from({ length: 60 }, (_, index) =>
    connectionTo('https://mediator.example', `tenant-${index % 10}`, world.newId()),
  )
  world.traffic(connections, { count: 60, from: 0, until: 3 * HOUR })
  await world.runUntil(27 * HOUR)
  world.service.stop()
  expect(world).toMatchObject({ committed: 60, acceptedCount: 60, errors: [] })
  expect(world.givenUp()).toBe(0)
})
