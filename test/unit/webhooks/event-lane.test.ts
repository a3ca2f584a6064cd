/** The lane of a record's events to an endpoint: which events are sent, and the outcome of each. */

import { describe, expect, test } from 'vitest'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { WEBHOOK_PLAN } from '../../../lib/outbox/lanes/retry-plan.ts'
import { endpointDestination } from '../../../lib/outbox/wake-ups/keys.ts'
import { epochSeconds, type Item } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { removeIf, transact } from '../../../lib/store/write.ts'
import { organizationPartition } from '../../../lib/webhooks/endpoint-item.ts'
import {
  EVENT_EXPIRY_SECONDS,
  type EventState,
  type NewEvent,
  pendingEvent,
  pendingEventItem,
  restingItem,
} from '../../../lib/webhooks/event-item.ts'
import { eventLaneContents } from '../../../lib/webhooks/event-lane.ts'
import { FAILING_MS } from '../../../lib/webhooks/health.ts'
import { replayEvent } from '../../../lib/webhooks/replays.ts'
import { newSecret, PREVIOUS_SECONDS, sealSecret } from '../../../lib/webhooks/secrets.ts'
import {
  attemptsAt,
  eventFor,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
  verified,
} from '../../support/webhooks/webhook-scene.ts'
import { deliveryScene } from './delivery-scene.ts'

const HOUR = 3_600_000

const inLane = (event: NewEvent): Item => pendingEventItem.encode(pendingEvent(event, new Date().toISOString()))

const scene = deliveryScene()

/** The inconsistencies of this test's endpoint, whose events were changed unknown to the sender. */
const problems = async () => (await scene.table.check()).filter((problem) => problem.includes(scene.endpoint.id))

/** What waits in the event's lane. */
const places = async () => (await scene.table.items(`${scene.lane}`)).filter(({ pk }) => pk?.S === scene.lane)

test('an accepted event is delivered: its lane is empty, and it has an expiry again', async () => {
  await scene.deliver()
  expect(scene.receiver.received).toHaveLength(1)
  expect(verified(scene.endpoint.secret, scene.receiver.received[0] ?? { headers: {}, body: '' })).toEqual(
    JSON.parse(scene.event.body),
  )
  const { expiresAt = 0, ...delivered } = (await readStoredEvent(scene.event)) ?? {}
  expect(delivered).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(expiresAt).toBe(epochSeconds(Date.parse(scene.event.occurredAt)) + EVENT_EXPIRY_SECONDS)
  expect(await attemptsAt(scene.endpoint)).toMatchObject([{ attempt: 1, outcome: 'delivered', status: 200 }])
  expect(await scene.laneState()).toBeUndefined()
  expect(await places()).toEqual([])
  expect(await problems()).toEqual([])
})

test.each<[string, Item]>([
  ['a number', { sequence: { S: 'one' } }],
  ['a time', { pendingSince: { S: 'garbage' } }],
  ['a text', { body: { N: '1' } }],
])('an event that is corrupt in %s is set aside, and the next ones are delivered', async (_name, change) => {
  const [lost, next] = [1, 2].map((more) => eventFor(scene.endpoint, { sequence: scene.event.sequence + more }))
  if (lost === undefined || next === undefined) throw new Error('there are two')
  await storeEvent(next)
  const corrupt: Item = { ...inLane(lost), ...change }
  await scene.table.put(corrupt)
  await scene.deliver()
  expect(scene.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([scene.event.id, next.id])
  expect(await places()).toEqual([])
  const kept = (await scene.table.items('@corrupt|')).find(({ corruptSk }) => corruptSk?.S === corrupt.sk?.S)
  expect(scene.lines.filter((line) => line.includes('outbox.item_corrupt'))).toEqual([
    expect.stringContaining(`"movedTo":"${kept?.pk?.S}"`),
  ])
})

test('an event whose item in the list of its endpoint is corrupt is sent, and is there again', async () => {
  await scene.table.put({ ...restingItem({ ...scene.event, attempts: 1 }, 'failed'), state: { S: 'lost' } })
  await scene.deliver()
  expect(scene.receiver.received).toHaveLength(1)
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered', attempts: 1 })
})

test('a late attempt has a separate item', async () => {
  const occurredAt = new Date(Date.now() - 60_000).toISOString()
  const late = eventFor(scene.endpoint, { sequence: scene.event.sequence + 1, occurredAt })
  await storeEvent(late)
  await scene.deliver()
  const items = await scene.table.items(`@endpoint|${scene.endpoint.id}|`)
  expect(items.map(({ kind }) => kind?.S).sort()).toEqual(['attempt', 'event', 'event'])
  expect((await attemptsAt(scene.endpoint)).map(({ eventId }) => eventId).sort()).toEqual(
    [scene.event.id, late.id].sort(),
  )
  expect(await problems()).toEqual([])
})

test('the events of a record go out by their sequences, whichever was written first, and none overtakes one that failed', async () => {
  const later = eventFor(scene.endpoint, { sequence: scene.event.sequence + 2 })
  const between = eventFor(scene.endpoint, { sequence: scene.event.sequence + 1 })
  await storeEvent(later)
  await storeEvent(between)
  scene.receiver.behave({ status: 500 }, { status: 200 })
  await scene.deliver()
  expect(scene.receiver.received).toHaveLength(1)
  expect(await scene.deliverWhenDue()).toBe(true)
  expect(scene.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
    [scene.event, scene.event, between, later].map(({ id }) => id),
  )
})

test('a replayed event goes out before the later ones of its record, with the id that it had', async () => {
  await scene.deliver()
  const later = eventFor(scene.endpoint, { sequence: scene.event.sequence + 1 })
  await storeEvent(later)
  await transaction('@base', (unit) => replayEvent(unit, scene.path, scene.event.id))
  await scene.deliver()
  expect(scene.receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
    [scene.event, scene.event, later].map(({ id }) => id),
  )
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(await attemptsAt(scene.endpoint)).toHaveLength(3)
  expect(await problems()).toEqual([])
})

test.each<[string, number, number, EventState, attempts: number]>([
  ['is delivered again', 0, 200, 'delivered', 2],
  ['is to be tried again', 0, 500, 'pending', 2],
  ['has failed', WEBHOOK_PLAN.lifetime, 500, 'failed', 2],
  ['is held: its attempt disables the endpoint', 0, 410, 'held', 2],
  ['is held: its endpoint was disabled', 0, 0, 'held', 1],
])('the first delivery of a replayed event is listed still when it %s', async (_, waited, status, state, attempts) => {
  await scene.deliver()
  await transaction('@base', (unit) => replayEvent(unit, scene.path, scene.event.id))
  if (status === 0) await scene.changeEndpoint({ status: { S: 'disabled' } })
  else scene.receiver.behave({ status })
  scene.now += waited + 1_000
  await scene.deliver()
  expect(await readStoredEvent(scene.event)).toMatchObject({ state })
  const listed = await attemptsAt(scene.endpoint)
  expect(listed).toHaveLength(attempts)
  expect(listed).toContainEqual(expect.objectContaining({ attempt: 1, outcome: 'delivered', status: 200 }))
  expect(await problems()).toEqual([])
})

test('a replayed event that was delivered once has failed without another attempt: the first one is listed still', async () => {
  await scene.deliver()
  await transaction('@base', (unit) => replayEvent(unit, scene.path, scene.event.id))
  const destination = endpointDestination(scene.endpoint.id)
  await scene.table.put(destinationItem.encode({ destination, version: 2, closedAt: scene.now, rounds: 0 }))
  scene.now += WEBHOOK_PLAN.lifetime + 1_000
  await scene.deliver()
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'failed' })
  expect(await attemptsAt(scene.endpoint)).toMatchObject([{ attempt: 1, outcome: 'delivered' }])
})

test('an event that was removed has not failed, and no part of it is created again', async () => {
  const lane = await eventLaneContents(scene.lane)
  const { items: [first] = [] } = (await lane?.read(scene.now)) ?? {}
  await removeIf(pendingEventItem.addressOf(pendingEvent(scene.event, '')))
  const outcome = { status: 500, headers: {}, body: '', milliseconds: 1 }
  const attempt = { outcome, startedAt: scene.now, endedAt: scene.now }
  expect(await transact((first && lane?.failed(first, attempt, 0)) ?? [])).toMatchObject({
    written: false,
    failed: [0],
  })
  expect(await places()).toEqual([])
})

describe('nothing is sent, and the lane is released,', () => {
  test.each<[Exclude<EventState, 'pending'>]>([['delivered'], ['held'], ['failed']])(
    'of an event that a repeated dispatch has put there and that is %s',
    async (state) => {
      await scene.table.put(restingItem({ ...scene.event, attempts: 1 }, state))
      await scene.deliver()
      expect(scene.receiver.connections()).toBe(0)
      expect(await places()).toEqual([])
      expect(await readStoredEvent(scene.event)).toMatchObject({ state })
    },
  )

  test('of an event that a repeated dispatch has put there and that is replayed: it goes out once', async () => {
    await scene.deliver()
    await transaction('@base', (unit) => replayEvent(unit, scene.path, scene.event.id))
    await storeEvent(scene.event)
    await scene.deliver()
    expect(scene.receiver.received).toHaveLength(2)
    expect(await places()).toEqual([])
    expect(await problems()).toEqual([])
  })

  test('when the endpoint was replaced by another one: its events are gone with it', async () => {
    await registerAt(`${scene.receiver.url}/other`, { orgId: scene.endpoint.orgId })
    await scene.deliver()
    expect(scene.receiver.connections()).toBe(0)
    expect(await readStoredEvent(scene.event)).toBeUndefined()
    expect(await places()).toEqual([])
  })

  test('when the endpoint was replaced after a failed attempt: its list has the event no longer', async () => {
    scene.receiver.behave({ status: 500 })
    await scene.deliver()
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 1 })
    await registerAt(`${scene.receiver.url}/other`, { orgId: scene.endpoint.orgId })
    expect(await scene.deliverWhenDue()).toBe(true)
    expect(await readStoredEvent(scene.event)).toBeUndefined()
    expect(await places()).toEqual([])
  })

  test('when the endpoint is gone', async () => {
    const stranger = eventFor({ ...scene.endpoint, orgId: 'nobody' })
    await scene.deliver({ lane: await storeEvent(stranger) })
    expect(scene.receiver.connections()).toBe(0)
    expect(await readStoredEvent(stranger)).toBeUndefined()
  })

  test('to a disabled endpoint: all events are held, with the attempts that they had', async () => {
    await scene.changeEndpoint({ status: { S: 'disabled' } })
    await scene.changeEvent({ attempts: { N: '2' } })
    const next = eventFor(scene.endpoint, { sequence: scene.event.sequence + 1 })
    await storeEvent(next)
    await scene.deliver()
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'held', attempts: 2 })
    expect(await readStoredEvent(next)).toMatchObject({ state: 'held', attempts: 0 })
    expect(scene.receiver.connections()).toBe(0)
    expect(await attemptsAt(scene.endpoint)).toEqual([])
    expect(await scene.laneState()).toBeUndefined()
  })
})

test('more events than one read finds are delivered all the same, in their order', async () => {
  const others = Array.from({ length: 30 }, () => eventFor(scene.endpoint))
  for (const event of others) await storeEvent(event)
  await scene.deliver()
  while (await scene.deliverWhenDue()) expect(scene.receiver.received.length).toBeGreaterThan(0)
  const sent = scene.receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(sent).toEqual([scene.event, ...others].map(({ id }) => id))
  expect(await scene.laneState()).toBeUndefined()
})

test('the name of another lane has no contents', async () => {
  for (const name of ['', 'acme|ConnectionRecord|c1', '@outbox|a|b', '@outbox|a|b|c|d', '@outbox||b|c'])
    expect(await eventLaneContents(name)).toBeUndefined()
})

test.each([200, 500])('of a response of %d the first KB is stored', async (status) => {
  scene.receiver.behave({ status, body: 'x'.repeat(5_000) })
  await scene.deliver()
  const stored = { ...(await readStoredEvent(scene.event))?.delivery, ...(await attemptsAt(scene.endpoint))[0] }
  expect(stored).toMatchObject({ status, response: 'x'.repeat(1024) })
})

describe('an attempt that fails', () => {
  test('leaves the event pending until its next one, and nothing before that sends it', async () => {
    scene.receiver.behave({ status: 500 })
    await scene.deliver()
    const { dueAt = 0 } = (await scene.laneState()) ?? {}
    expect(dueAt - scene.now).toBe(5_000)
    expect(await readStoredEvent(scene.event)).toMatchObject({
      state: 'pending',
      attempts: 1,
    })
    expect(await readStoredEvent(scene.event)).not.toHaveProperty('expiresAt')
    scene.now += 4_999
    await scene.deliver()
    expect(scene.receiver.received).toHaveLength(1)
    expect(scene.queues.sent).toMatchObject([
      { queue: 'timers', delay: 5, body: { lane: scene.lane, reason: { kind: 'due', at: dueAt } } },
    ])
  })

  test('with a 410 disables the endpoint: the attempt is listed, and this event and the next ones are held', async () => {
    scene.receiver.behave({ status: 410 })
    const next = eventFor(scene.endpoint, { sequence: scene.event.sequence + 1 })
    await storeEvent(next)
    await scene.deliver()
    expect(scene.receiver.received).toHaveLength(1)
    expect(await readRegistered(scene.endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'gone' })
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'held', attempts: 1 })
    expect(await readStoredEvent(next)).toMatchObject({ state: 'held', attempts: 0 })
    expect(await attemptsAt(scene.endpoint)).toMatchObject([
      { eventId: scene.event.id, attempt: 1, outcome: 'failed', status: 410 },
    ])
    expect(await problems()).toEqual([])
  })

  test('without a response closes the endpoint: its lane waits for it, and the attempt is listed', async () => {
    scene.receiver.behave('reset before the body was read')
    await scene.receiver.stop()
    await scene.deliver()
    expect(await attemptsAt(scene.endpoint)).toMatchObject([{ attempt: 1, outcome: 'failed', failure: 'connect' }])
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 1 })
    expect(await scene.laneState()).toMatchObject({ waiting: expect.any(String) })
    expect(await problems()).toEqual([])
  })
})

describe('the plan', () => {
  /** Delivers whenever it is due, until the lane has nothing to do. Seconds of the deliveries since the first one. */
  const wholePlan = async (random: () => number) => {
    const start = scene.now
    const times: number[] = []
    await scene.deliver({ random })
    do times.push((scene.now - start) / 1000)
    while (await scene.deliverWhenDue({ random }))
    return times
  }
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * 3600)
  const DELAYS = [5, 300, 1800, ...hours]

  test('is that of Standard Webhooks; then the event has failed, and is kept for a replay', async () => {
    scene.receiver.behave({ status: 500 })
    await scene.changeEvent({ pendingSince: { S: new Date(scene.now).toISOString() } })
    await wholePlan(() => 0.5)
    const attempts = await attemptsAt(scene.endpoint)
    const start = Date.parse(attempts[0]?.startedAt ?? '')
    const due = [0, ...DELAYS].map((_, index) => DELAYS.slice(0, index).reduce((sum, one) => sum + one, 0))
    expect(attempts.map(({ startedAt }) => (Date.parse(startedAt) - start) / 1000)).toEqual(due)
    expect(attempts.map(({ attempt }) => attempt)).toEqual(attempts.map((_, index) => index + 1))
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'failed', attempts: attempts.length })
    expect(await readRegistered(scene.endpoint)).toMatchObject({ status: 'failing' })
    const ids = scene.receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids)).toEqual(new Set([scene.event.id]))
    expect(ids).toHaveLength(attempts.length)
    expect(await scene.laneState()).toBeUndefined()
    expect(await problems()).toEqual([])
  })

  test('that ends while its endpoint is closed, without an attempt, leaves the event failed, for a replay', async () => {
    const destination = endpointDestination(scene.endpoint.id)
    await scene.table.put(destinationItem.encode({ destination, version: 2, closedAt: scene.now, rounds: 0 }))
    const pendingSince = new Date(scene.now - WEBHOOK_PLAN.lifetime).toISOString()
    await scene.changeEvent({ pendingSince: { S: pendingSince } })
    await scene.deliver()
    expect(await attemptsAt(scene.endpoint)).toEqual([])
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'failed', attempts: 0 })
    expect(await scene.laneState()).toBeUndefined()
    expect(await problems()).toEqual([])
  })

  test.each([0, 0.999])('ends in time whatever the jitter is: %d', async (chance) => {
    scene.receiver.behave({ status: 500 })
    await scene.changeEvent({ pendingSince: { S: new Date(scene.now).toISOString() } })
    await wholePlan(() => chance)
    const attempts = await attemptsAt(scene.endpoint)
    const [first, last] = [attempts[0], attempts.at(-1)].map((one) => Date.parse(one?.startedAt ?? ''))
    expect((last ?? 0) - (first ?? 0)).toBeLessThanOrEqual(WEBHOOK_PLAN.lifetime)
    expect(attempts.length).toBeGreaterThanOrEqual(8)
    expect(attempts.length).toBeLessThanOrEqual(12)
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'failed', attempts: attempts.length })
  })

  test('ends with the endpoint, when it does nothing but fail for 5 days: it is disabled, and its events are held', async () => {
    scene.receiver.behave({ status: 500 })
    const since = new Date(scene.now - FAILING_MS + HOUR).toISOString()
    await scene.changeEndpoint({ status: { S: 'failing' }, failingSince: { S: since } })
    const posts = await wholePlan(() => 0.5)
    expect(posts.at(-1)).toBeGreaterThanOrEqual(HOUR / 1000)
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'held', attempts: posts.length })
    expect(await attemptsAt(scene.endpoint)).toHaveLength(posts.length)
    expect(await readRegistered(scene.endpoint)).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
      failingSince: since,
    })
  })
})

test('amid a rotation both secrets sign, and a receiver may verify with either', async () => {
  const old = scene.endpoint.secret
  const secret = newSecret()
  await transaction('@base', async (unit) => {
    const item = await scene.table.get({ pk: organizationPartition(scene.endpoint.orgId), sk: 'webhook' })
    if (item?.secret === undefined) throw new Error('no endpoint')
    const sealed = { B: await sealSecret(unit, { orgId: scene.endpoint.orgId, kind: 'webhook' }, secret) }
    const previousUntil = { N: String(epochSeconds(scene.now) + PREVIOUS_SECONDS) }
    unit.replace({ ...item, secret: sealed, previousSecret: item.secret, previousUntil }, 1)
  })
  await scene.deliver()
  scene.now += PREVIOUS_SECONDS * 1000
  await scene.deliver({ lane: await storeEvent(eventFor(scene.endpoint)) })
  const [first, second] = scene.receiver.received
  if (first === undefined || second === undefined) throw new Error('nothing has arrived')
  expect(verified(secret, first)).toEqual(verified(old, first))
  expect(second.headers['webhook-signature']).toMatch(/^v1,\S+$/)
})
