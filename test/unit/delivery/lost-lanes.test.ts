/** Lanes whose wake-ups were lost are found by a scan, and their items are sent. */
import { expect, test } from 'vitest'
import { wakeLostLanes } from '../../../lib/delivery/lost-lanes.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { sweep } from '../../../lib/outbox/sweep.ts'
import { pendingEvent, pendingEventItem } from '../../../lib/webhooks/event-item.ts'
import { leaseLane } from '../outbox/lease-lane.ts'
import { answered, failing, newOrigin, useOutboxScene } from '../outbox/scene.ts'

const scene = await useOutboxScene()

/** Delivers the lanes that the sweep wakes. */
const deliver = async () => {
  await sweep(scene.now)
  await scene.handleAll()
}

test('a message whose wake-ups were lost is sent, and afterwards no lane is lost', async () => {
  const lanes = Array.from({ length: 101 }, () => scene.newLane())
  for (const to of lanes) await scene.commit(to, to.lane)
  for (const to of lanes.slice(0, 5)) await scene.commit(to, to.lane)
  await deliver()
  expect(scene.accepted).toEqual([])
  expect(await wakeLostLanes(scene.now)).toBe(101)
  expect(await wakeLostLanes(scene.now)).toBe(0)
  await deliver()
  expect(scene.accepted).toHaveLength(106)
  expect(await scene.left()).toEqual([])
  expect(await wakeLostLanes(scene.now)).toBe(0)
})

test('an event is sent too', async () => {
  const event = { id: 'e1', type: 'endpoint.test', orgId: 'o', endpointId: 'ep', recordId: 'r1', sequence: 3 }
  const occurredAt = '2026-01-01T00:00:00.000Z'
  await scene.table.put(pendingEventItem.encode(pendingEvent({ ...event, occurredAt, body: '{}' }, occurredAt)))
  expect(await wakeLostLanes(scene.now)).toBe(1)
  expect(await scene.lane('@outbox|o|ep|r1')).toMatchObject({ dueAt: scene.now })
})

test('a lane that waits for a time or a destination, or is leased, is not changed; one with an expired lease is', async () => {
  const [retried, leased, left] = [scene.newLane(), scene.newLane(), scene.newLane()]
  const down = newOrigin()
  scene.respond = ({ endpoint }) => (endpoint.startsWith(down) ? failing('connect') : answered(500))
  await scene.send(retried, 'one', { origin: newOrigin() })
  await scene.sendTo(down, 2)
  await scene.handleAll()
  for (const to of [leased, left]) await scene.commit(to, 'two')
  await leaseLane({ lane: leased.lane, reason: { kind: 'committed' } }, 'holder', scene.now)
  await leaseLane({ lane: left.lane, reason: { kind: 'committed' } }, 'dead', scene.now - 60_000)
  const before = await scene.lane(retried.lane)
  expect(await wakeLostLanes(scene.now)).toBe(1)
  expect(await scene.lane(retried.lane)).toEqual(before)
  expect(await scene.lane(leased.lane)).not.toHaveProperty('dueAt')
  expect(await scene.lane(left.lane)).toMatchObject({ dueAt: scene.now })
})

test('a lane that begins to wait meanwhile keeps its time', async () => {
  const to = scene.newLane()
  await scene.commit(to, 'one')
  const waits = laneItem.encode({ lane: to.lane, dueShard: 'due|0', dueAt: scene.now + 60_000 })
  scene.table.way = async (command, send) => {
    if (command === 'UpdateItem') {
      scene.table.way = undefined
      await scene.table.put(waits)
    }
    await send()
  }
  expect(await wakeLostLanes(scene.now)).toBe(0)
  expect(await scene.lane(to.lane)).toMatchObject({ dueAt: scene.now + 60_000 })
})
