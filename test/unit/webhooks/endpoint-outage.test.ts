/** An endpoint that answers 503 or lets us wait: which failures close it, however few its events are, and which records come to wait for it. */
import { describe, expect, test } from 'vitest'
import { readDestination } from '../../../lib/outbox/destination-access.ts'
import { endpointDestination } from '../../../lib/outbox/keys.ts'
import { dueNow, updateItem } from '../../../lib/outbox/lane.ts'
import { FAILING_MS } from '../../../lib/webhooks/health.ts'
import {
  eventFor,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
} from '../../support/webhooks/webhook-scene.ts'
import { leaseLane } from '../outbox/lease-lane.ts'
import { deliveryScene } from './delivery-scene.ts'

const HOUR = 60 * 60_000

const scene = deliveryScene()

const destination = () => readDestination(endpointDestination(scene.endpoint.id), scene.now)
const isClosed = async () => (await destination()).closedAt !== undefined

const newRecord = (recordId: string) => storeEvent(eventFor(scene.endpoint, { recordId }))

/** Each of these records has an event, an hour after the one before. */
const failInTurn = async (...records: string[]) => {
  const lanes: string[] = []
  for (const recordId of records) {
    const lane = await newRecord(recordId)
    await scene.deliver({ lane })
    lanes.push(lane)
    scene.now += HOUR
  }
  return lanes
}

describe('an endpoint that answers 503', () => {
  test('is closed by three records in a row, however far apart', async () => {
    scene.receiver.behave({ status: 503 })
    await failInTurn('a', 'b')
    expect(await isClosed()).toBe(false)
    await failInTurn('c')
    expect(await isClosed()).toBe(true)
    const lane = await newRecord('d')
    await scene.deliver({ lane })
    expect(scene.receiver.received).toHaveLength(3)
    expect(await scene.laneState(lane)).toMatchObject({ waiting: expect.any(String) })
  })

  test('is not closed by one record, however often it fails: it keeps to its plan', async () => {
    scene.receiver.behave({ status: 503 })
    await scene.deliver()
    while ((await scene.laneState())?.failures !== 7) await scene.deliverWhenDue()
    expect(scene.receiver.received).toHaveLength(7)
    expect(await isClosed()).toBe(false)
  })

  test('is not closed where an event of another record was taken in between', async () => {
    scene.receiver.behave({ status: 503 }, { status: 503 }, { status: 204 }, { status: 503 }, { status: 503 })
    await failInTurn('a', 'b', 'c', 'd', 'e')
    expect(await isClosed()).toBe(false)
  })

  test.each([500, 429, 404])('but %i to each record never closes it', async (status) => {
    scene.receiver.behave({ status })
    await failInTurn('a', 'b', 'c', 'd')
    expect(await isClosed()).toBe(false)
  })

  test('is closed once by records that fail at the same moment', async () => {
    scene.receiver.behave({ status: 503 })
    const lanes = await Promise.all(['a', 'b', 'c', 'd'].map(newRecord))
    await Promise.all(lanes.map((lane) => scene.deliver({ lane })))
    expect(await isClosed()).toBe(true)
    expect(scene.lines.filter((line) => line.includes('destination.closed'))).toHaveLength(1)
    // Those that had failed before the third are due at once, and come to wait for the endpoint with the others.
    for (const lane of lanes) await scene.deliverWhenDue({ lane })
    for (const lane of lanes) expect(await scene.laneState(lane)).toMatchObject({ waiting: expect.any(String) })
    expect(scene.receiver.received.length).toBeLessThanOrEqual(4)
  })
})

test('an endpoint that was replaced while it was closed is open as soon as a probe finds that out', async () => {
  scene.receiver.behave({ status: 503 })
  const [, , lane = ''] = await failInTurn('a', 'b', 'c')
  await registerAt('https://elsewhere.example/hook', { orgId: scene.endpoint.orgId })
  const { waiting = '' } = (await scene.laneState(lane)) ?? {}
  const name = endpointDestination(scene.endpoint.id)
  await scene.deliver({ lane, reason: { kind: 'probe', waiting, destination: name, at: scene.now } })
  expect(await scene.laneState(lane)).toBeUndefined()
  expect(await destination()).not.toHaveProperty('closedAt')
  expect((await destination()).dueAt).toBeLessThanOrEqual(scene.now)
})

test('an endpoint that a probe of five days without success disables is open, so that all that waits for it is held', async () => {
  scene.receiver.behave({ status: 503 })
  const [, , lane = ''] = await failInTurn('a', 'b', 'c')
  await scene.changeEndpoint({ failingSince: { S: new Date(scene.now - FAILING_MS).toISOString() } })
  const { waiting = '' } = (await scene.laneState(lane)) ?? {}
  const name = endpointDestination(scene.endpoint.id)
  await scene.deliver({ lane, reason: { kind: 'probe', waiting, destination: name, at: scene.now } })
  expect(await readRegistered(scene.endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'failing' })
  expect(await isClosed()).toBe(false)
  expect((await destination()).dueAt).toBeLessThanOrEqual(scene.now)
})

describe('a record that failed before its endpoint was closed', () => {
  test('comes to wait for the endpoint, and not for the hours of its plan', async () => {
    scene.receiver.behave({ status: 503 })
    const [first = ''] = await failInTurn('a')
    while ((await scene.laneState(first))?.failures !== 5) await scene.deliverWhenDue({ lane: first })
    const planned = (await scene.laneState(first))?.dueAt ?? 0
    expect(planned - scene.now).toBe(5 * HOUR)
    await failInTurn('b', 'c')
    const before = scene.receiver.received.length
    const { dueAt = 0 } = (await scene.laneState(first)) ?? {}
    expect(dueAt).toBeLessThanOrEqual(scene.now)
    await scene.deliver({ lane: first, reason: { kind: 'due', at: dueAt } })
    expect(await scene.laneState(first)).toMatchObject({ waiting: expect.any(String), failures: 5 })
    expect(scene.receiver.received).toHaveLength(before)
    // The wake-up for the time of its plan has nothing to do any more.
    await scene.deliver({ lane: first, reason: { kind: 'due', at: planned } })
    expect(await scene.laneState(first)).toMatchObject({ waiting: expect.any(String) })
  })

  test('is left alone while somebody has its lane, or where it waits for the endpoint already', async () => {
    const leasing = await leaseLane({ lane: scene.lane, reason: { kind: 'committed' } }, 'another', scene.now)
    expect(leasing.leased).toBeDefined()
    const leased = await scene.laneState()
    await updateItem(dueNow(scene.lane, scene.now))
    expect(await scene.laneState()).toEqual(leased)
    scene.receiver.behave({ status: 503 })
    const lanes = await failInTurn('a', 'b', 'c')
    const waiting = await scene.laneState(lanes[2])
    await updateItem(dueNow(lanes[2] ?? '', scene.now))
    expect(await scene.laneState(lanes[2])).toEqual(waiting)
    await updateItem(dueNow('a lane that has ended', scene.now))
    expect(await scene.laneState('a lane that has ended')).toBeUndefined()
  })

  test('and cannot be handled by the receiver closes it no second time, when others were taken', async () => {
    scene.receiver.behave({ status: 503 })
    const lanes = await failInTurn('a', 'b', 'c')
    const event = eventFor(scene.endpoint, { recordId: 'd' })
    const lane = await storeEvent(event)
    await scene.deliver({ lane })
    const { waiting = '' } = (await scene.laneState(lane)) ?? {}
    scene.receiver.behave({ status: 204 })
    const probe = {
      kind: 'probe',
      waiting,
      destination: endpointDestination(scene.endpoint.id),
      at: scene.now,
    } as const
    await scene.deliver({ lane, reason: probe })
    expect(await readStoredEvent(event)).toMatchObject({ state: 'delivered' })
    expect(await isClosed()).toBe(false)
    scene.receiver.behave({ status: 503 })
    for (const one of lanes) {
      const { waiting: entry, dueAt = 0 } = (await scene.laneState(one)) ?? {}
      await scene.deliver({
        lane: one,
        reason: entry === undefined ? { kind: 'due', at: dueAt } : { kind: 'released', waiting: entry },
      })
    }
    expect(await isClosed()).toBe(false)
  })
})
