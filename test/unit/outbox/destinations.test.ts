/** Which failures close a destination, which lane probes it, and what opens it. */

import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { reportToDestination } from '../../../lib/outbox/destinations/destination-access.ts'
import { destinationAt } from '../../../lib/outbox/messages/message-item.ts'
import { dueFor } from '../../../lib/store/due.ts'
import { answered, failing, newOrigin, useOutboxScene } from './scene.ts'

const scene = await useOutboxScene()

const SECOND = 1_000
const MINUTE = 60 * SECOND
const closedAt = async (destination: string) => (await scene.destination(destination))?.closedAt
/** The origin, or the address there to which these tests send. */
const isClosed = async (origin: string) =>
  [await closedAt(origin), await closedAt(destinationAt(`${origin}/`))].some((at) => at !== undefined)

test('a closed destination that is not shared stores the lanes of its probes by short names: its item is read often', async () => {
  const destination = newOrigin()
  const fails = (lane: string, probe: boolean) =>
    reportToDestination(
      destination,
      { kind: 'failed', lane, party: undefined, scope: 'gateway', probe, random: 0.5 },
      scene.now,
    )
  for (const lane of ['one', 'two', 'three']) await fails(lane, false)
  const closed = await fails('lane of a probe', true)
  expect(closed).toMatchObject({ closedAt: scene.now, suspicions: [{}, {}, {}, { lane: expect.any(String) }] })
  expect(JSON.stringify(closed)).not.toContain('lane of a probe')
})

describe('closing', () => {
  test.each<[string, PostOutcome]>([
    ['an unknown name', failing('dns')],
    ['a refused connection', failing('connect')],
    ['a failed TLS handshake', failing('tls')],
  ])('follows %s immediately: no second lane is tried', async (_name, outcome) => {
    const origin = newOrigin()
    scene.respond = () => outcome
    await scene.sendTo(origin, 3)
    await scene.handleAll()
    expect(await isClosed(origin)).toBe(true)
    expect(scene.attempts).toHaveLength(1)
  })

  test.each<[string, PostOutcome]>([
    ['502', answered(502)],
    ['503', answered(503)],
    ['504', answered(504)],
    ['a read timeout', failing('timeout')],
    ['a broken connection', failing('reset')],
  ])('needs three tenants with %s', async (_name, outcome) => {
    const origin = newOrigin()
    scene.respond = () => outcome
    const tenant = randomUUID()
    await scene.sendTo(origin, 3, tenant)
    await scene.sendTo(origin, 1)
    await scene.handleAll()
    expect(await isClosed(origin)).toBe(false)
    await scene.sendTo(origin, 2)
    await scene.handleAll()
    expect(await isClosed(origin)).toBe(true)
    expect(scene.attempts).toHaveLength(5)
  })

  test('follows twenty failed lanes of one tenant too', async () => {
    const origin = newOrigin()
    scene.random = 0.999
    scene.respond = () => answered(503)
    await scene.sendTo(origin, 25, randomUUID())
    await scene.handleAll()
    expect(await isClosed(origin)).toBe(true)
    expect(scene.attempts).toHaveLength(20)
  })

  test.each<[string, PostOutcome]>([
    ['500', answered(500)],
    ['429', answered(429)],
    ['404', answered(404)],
    ['an address that the guard rejects', failing('address')],
  ])('never follows %s', async (_name, outcome) => {
    const origin = newOrigin()
    scene.respond = () => outcome
    await scene.sendTo(origin, 25)
    await scene.handleAll()
    expect(await isClosed(origin)).toBe(false)
    expect(scene.attempts).toHaveLength(25)
  })

  test('does not follow failures with a success or more than a minute between them', async () => {
    const origin = newOrigin()
    scene.respond = () => answered(503)
    await scene.sendTo(origin, 2)
    await scene.handleAll()
    scene.respond = () => answered(200)
    await scene.sendTo(origin, 1)
    await scene.handleNext()
    scene.waiting.length = 0
    scene.respond = () => answered(503)
    await scene.sendTo(origin, 2)
    await scene.handleAll()
    scene.waiting.length = 0
    expect(await isClosed(origin)).toBe(false)
    scene.now += MINUTE
    await scene.sendTo(origin, 2)
    await scene.handleAll()
    expect(await isClosed(origin)).toBe(false)
  })

  test('is possible if an expired item of the same destination still exists', async () => {
    const origin = newOrigin()
    const expired = { destination: origin, version: 7, slowUntil: scene.now + MINUTE, expiresAt: 1 }
    await scene.table.put(destinationItem.encode(expired))
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 1)
    await scene.handleAll()
    const closed = await scene.destination(origin)
    expect(closed).toMatchObject({ version: 1, closedAt: scene.now })
    expect(closed).not.toHaveProperty('slowUntil')
    expect(closed).not.toHaveProperty('expiresAt')
  })

  test('removes the expiry of its item, because lanes wait for it', async () => {
    const origin = newOrigin()
    const expiresAt = Math.floor(Date.now() / 1_000) + 3_600
    await scene.table.put(destinationItem.encode({ destination: origin, version: 7, expiresAt }))
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 1)
    await scene.handleAll()
    const closed = await scene.destination(origin)
    expect(closed).toMatchObject({ version: 8, closedAt: scene.now })
    expect(closed).not.toHaveProperty('expiresAt')
  })

  test('by another process is known after three seconds', async () => {
    const origin = newOrigin()
    await scene.sendTo(origin, 1)
    await scene.handleAll()
    const { version = 0 } = (await scene.destination(origin)) ?? {}
    const closed = { destination: origin, version: version + 1, closedAt: scene.now }
    await scene.table.put(destinationItem.encode({ ...closed, ...dueFor(origin, scene.now + MINUTE) }))
    scene.now += 3 * SECOND
    await scene.sendTo(origin, 1)
    await scene.handleAll()
    expect(scene.attempts).toHaveLength(1)
  })
})

describe('a closed destination', () => {
  test('gets one attempt for each probe, 2 s, 4 s, ... 5 min apart, each from another lane', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 40)
    await scene.handleAll()
    const start = scene.now
    let random = 0
    const probes: [number, string][] = []
    scene.respond = ({ lane }) => {
      probes.push([Math.round((scene.now - start) / SECOND), lane])
      random = (random + 0.37) % 1
      scene.random = random
      return failing('connect')
    }
    await scene.pass(30 * MINUTE)
    expect(probes.slice(0, 4).map(([at]) => at)).toEqual([2, 6, 13, 30].map(() => expect.any(Number)))
    expect(probes.length).toBeGreaterThan(8)
    expect(probes.length).toBeLessThan(18)
    expect(new Set(probes.map(([, lane]) => lane)).size).toBeGreaterThan(probes.length / 2)
    const gaps = probes.map(([at], index) => at - (probes[index - 1]?.[0] ?? 0))
    // 5 min with its jitter, and up to a minute until the next sweep.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5 * 60 * 1.2 + 60)
  })

  test('is probed again and again by the only lane that waits', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 1)
    await scene.pass(2 * MINUTE)
    expect(scene.attempts.length).toBeGreaterThanOrEqual(5)
    scene.respond = () => answered(200)
    await scene.pass(6 * MINUTE)
    expect(scene.accepted).toHaveLength(1)
    expect(await scene.left()).toEqual([])
  })

  test('gets no attempt from a waiting lane, for any number of new messages', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    const [to] = await scene.sendTo(origin, 1)
    await scene.handleAll()
    for (let index = 0; index < 5; index++) await scene.send(to ?? scene.newLane(), String(index), { origin })
    await scene.handleAll()
    expect(scene.attempts).toHaveLength(1)
  })

  test('is open after the first probe with a response, and releases its lanes: 16, 32, 64 a second', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 130)
    await scene.handleAll()
    scene.respond = () => answered(200)
    scene.now += 3 * SECOND
    await scene.handleAll()
    const released: number[] = []
    for (let second = 0; second < 6; second++) {
      const before = scene.accepted.length
      scene.now += SECOND
      await scene.handleAll()
      released.push(scene.accepted.length - before)
    }
    expect(Math.max(...released)).toBeLessThanOrEqual(64)
    await scene.pass(2 * MINUTE)
    expect(scene.accepted).toHaveLength(130)
    expect(await scene.left()).toEqual([])
    expect(await isClosed(origin)).toBe(false)
  })

  /** A destination that the first outcome has closed is probed with the second. */
  const probeWith = async (outcome: PostOutcome, closing = failing('connect')) => {
    const origin = newOrigin()
    scene.respond = () => closing
    await scene.sendTo(origin, 4)
    await scene.handleAll()
    expect(await isClosed(origin)).toBe(true)
    const before = scene.attempts.length
    scene.respond = () => outcome
    scene.now += 3 * SECOND
    while (scene.attempts.length === before && (await scene.handleNext()));
    return isClosed(origin)
  }

  test.each<[string, PostOutcome]>([
    ['a refused connection', failing('connect')],
    ['an address that the guard rejects', failing('address')],
  ])('is not opened by a probe with %s', async (_name, outcome) => {
    expect(await probeWith(outcome)).toBe(true)
  })

  test.each<[string, PostOutcome]>([
    ['502', answered(502)],
    ['503', answered(503)],
    ['504', answered(504)],
    ['a timeout', failing('timeout')],
    ['a connection that breaks', failing('reset')],
    ['an answer that is not HTTP', failing('response')],
    ['a refused connection', failing('connect')],
    ['an address that the guard rejects', failing('address')],
  ])('is an address that is not opened by a probe with %s', async (_name, outcome) => {
    expect(await probeWith(outcome, answered(503))).toBe(true)
  })

  test.each<[string, PostOutcome]>([
    ['503', answered(503)],
    ['a timeout', failing('timeout')],
    ['a connection that breaks', failing('reset')],
    ['an answer that is not HTTP', failing('response')],
  ])('is an origin that is opened by a probe with %s: that is a failure of one address', async (_name, outcome) => {
    expect(await probeWith(outcome)).toBe(false)
  })

  test.each([200, 500, 429, 404])('is opened by a probe with response %i', async (status) => {
    expect(await probeWith(answered(status))).toBe(false)
  })

  test.each([200, 500, 429, 404])('is an address that is opened by a probe with response %i', async (status) => {
    expect(await probeWith(answered(status), answered(503))).toBe(false)
  })

  test('leaves the index when no lane waits for it', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    await scene.sendTo(origin, 1)
    await scene.handleAll()
    scene.respond = () => answered(200)
    await scene.pass(MINUTE)
    expect(await scene.destination(origin)).toMatchObject({ expiresAt: expect.any(Number) })
    expect(await scene.destination(origin)).not.toHaveProperty('dueAt')
  })
})

describe('an outage that has closed a destination', () => {
  const outage = async (origin: string, lanes: number) => {
    scene.respond = () => answered(503)
    await scene.sendTo(origin, lanes)
    await scene.handleAll()
  }

  test('does not make it harder to close it again, after its lanes have delivered', async () => {
    const origin = newOrigin()
    await outage(origin, 30)
    expect(await isClosed(origin)).toBe(true)
    await scene.pass(10 * MINUTE)
    scene.respond = () => answered(200)
    await scene.pass(10 * MINUTE)
    expect(scene.accepted).toHaveLength(30)
    await outage(origin, 3)
    expect(await isClosed(origin)).toBe(true)
  })

  test('does not count any more if two of its lanes deliver at the same time', async () => {
    const origin = newOrigin()
    await outage(origin, 4)
    scene.respond = () => answered(200)
    scene.now += 3 * SECOND
    let arrived = 0
    const all = Promise.withResolvers<void>()
    scene.respond = async () => {
      // The probe opens; the others have all read the destination before one of them writes to it.
      if (++arrived === 4) all.resolve()
      if (arrived > 1) await all.promise
      return answered(200)
    }
    while (arrived < 1) await scene.handleNext()
    await scene.handleNext()
    const handled: Promise<unknown>[] = []
    // One that goes by another queue first has a second wake-up.
    while (arrived < 4) {
      const { due = [], later = [] } = Object.groupBy(scene.waiting.splice(0), ({ at, delaySeconds }) =>
        at + delaySeconds * 1000 <= scene.now ? 'due' : 'later',
      )
      scene.waiting.push(...later)
      for (const one of due) handled.push(scene.handle(one))
      if (due.length === 0) scene.now += 10
      await setImmediate()
    }
    await Promise.all(handled)
    expect(scene.accepted).toHaveLength(4)
    expect((await scene.destination(origin))?.ignored ?? []).toEqual([])
  })
})

describe('hostile receivers', () => {
  test('whose failures have closed a destination that other lanes reach do not count for a day', async () => {
    const origin = newOrigin()
    const hostile = await scene.sendTo(origin, 3)
    scene.respond = ({ lane }) => answered(hostile.some((to) => to.lane === lane) ? 503 : 200)
    await scene.handleAll()
    expect(await isClosed(origin)).toBe(true)
    await scene.sendTo(origin, 1)
    await scene.pass(30 * SECOND)
    expect(await isClosed(origin)).toBe(false)
    await scene.pass(10 * MINUTE)
    expect(await isClosed(origin)).toBe(false)
    expect(scene.accepted).toHaveLength(1)
    expect(scene.attempts.length).toBeGreaterThan(10)
  })
})

describe('an address', () => {
  /** A message from a separate lane to each path. */
  const sendToPaths = async (origin: string, paths: string[], tenant?: string) => {
    const lanes = paths.map((path) => ({ ...scene.newLane(tenant), path }))
    for (const { path, ...to } of lanes) await scene.send(to, path, { origin, path })
    return lanes
  }
  const numbered = (count: number, path = '/hostile/') => Array.from({ length: count }, (_, index) => `${path}${index}`)

  test.each<[string, PostOutcome]>([
    ['answers 503', answered(503)],
    ['stalls', failing('timeout')],
    ['breaks the connection', failing('reset')],
    ['answers something else than HTTP', failing('response')],
  ])('that %s does not close its origin for others, for any number of hostile receivers', async (_name, outcome) => {
    const origin = newOrigin()
    scene.respond = ({ endpoint }) => (endpoint.includes('hostile') ? outcome : answered(200))
    await sendToPaths(origin, [...numbered(65), ...numbered(65)])
    await scene.handleAll()
    await sendToPaths(origin, ['/honest'])
    await scene.handleAll()
    expect(scene.accepted).toEqual(['/honest'])
    expect(await closedAt(origin)).toBeUndefined()
  })

  test('is closed by three tenants whose wallets share it, and no other address with it', async () => {
    const origin = newOrigin()
    scene.respond = ({ endpoint }) => answered(endpoint.includes('?down') ? 503 : 200)
    await sendToPaths(origin, ['/inbox?down', '/inbox?down#a', '/inbox?down#b', '/inbox?down'])
    await scene.handleAll()
    expect(scene.attempts).toHaveLength(3)
    expect(await closedAt(destinationAt(`${origin}/inbox?down`))).toBe(scene.now)
    await sendToPaths(origin, ['/inbox?up', '/inbox', '/'])
    await scene.handleAll()
    expect(scene.accepted).toEqual(['/inbox?up', '/inbox', '/'])
  })

  test('of an unreachable origin waits for the origin, for any path', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    await sendToPaths(origin, numbered(5))
    await scene.handleAll()
    expect(scene.attempts).toHaveLength(1)
    scene.respond = () => answered(200)
    await scene.pass(MINUTE)
    expect(scene.accepted).toHaveLength(5)
    expect(await scene.left()).toEqual([])
  })

  test('that responds 503 does not keep its origin closed, which was unreachable before', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('connect')
    await sendToPaths(origin, numbered(30), randomUUID())
    await sendToPaths(origin, ['/honest'])
    await scene.handleAll()
    scene.respond = ({ endpoint }) => answered(endpoint.includes('hostile') ? 503 : 200)
    await scene.pass(30 * SECOND)
    expect(scene.accepted).toEqual(['/honest'])
  })

  test('is probed by one tenant after the other, each time from another lane', async () => {
    const origin = newOrigin()
    scene.respond = () => failing('timeout')
    const crowd = randomUUID()
    await scene.sendTo(origin, 3)
    await scene.handleAll()
    // So few that all are candidates, in any shard of the list.
    await sendToPaths(
      origin,
      Array.from({ length: 24 }, () => '/'),
      crowd,
    )
    const others = [...(await sendToPaths(origin, ['/'])), ...(await sendToPaths(origin, ['/']))]
    await scene.handleAll()
    const before = scene.attempts.length
    await scene.pass(20 * MINUTE)
    const probes = scene.attempts.slice(before).map(({ lane }) => lane)
    const owners = probes.map((lane) => lane.split('|')[0])
    expect(owners.slice(0, 3).sort()).toEqual([crowd, ...others.map(({ tenant }) => tenant)].sort())
    // The three lanes that closed it come last, and then each probes again.
    expect(new Set(owners.slice(0, 6)).size).toBe(6)
    expect(owners.slice(6, 9)).toEqual(owners.slice(0, 3))
    const ofCrowd = probes.filter((lane) => lane.startsWith(crowd))
    expect(new Set(ofCrowd).size).toBe(ofCrowd.length)
  })
})
