/** An endpoint that responds 503 or late: which failures close it, even with few events, and which records wait for it. */
import { describe, expect, test } from 'vitest'
import { readDestination } from '../../../lib/outbox/destinations/destination-access.ts'
import { makeDueNow, updateItem } from '../../../lib/outbox/lanes/lane.ts'
import { endpointDestination } from '../../../lib/outbox/wake-ups/keys.ts'
import { FAILING_MS } from '../../../lib/webhooks/health.ts'
import { eventFor, readRegistered, registerAt, storeEvent } from '../../support/webhooks/webhook-scene.ts'
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

describe('an endpoint that responds 503', () => {
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
  test('is not made due while its lane is leased, or waits for the endpoint already', async () => {
    const leasing = await leaseLane({ lane: scene.lane, reason: { kind: 'committed' } }, 'another', scene.now)
    expect(leasing.leased).toBeDefined()
    const leased = await scene.laneState()
    await updateItem(makeDueNow(scene.lane, scene.now))
    expect(await scene.laneState()).toEqual(leased)
    scene.receiver.behave({ status: 503 })
    const lanes = await failInTurn('a', 'b', 'c')
    const waiting = await scene.laneState(lanes[2])
    await updateItem(makeDueNow(lanes[2] ?? '', scene.now))
    expect(await scene.laneState(lanes[2])).toEqual(waiting)
    await updateItem(makeDueNow('a lane that has ended', scene.now))
    expect(await scene.laneState('a lane that has ended')).toBeUndefined()
  })
})
