/** The first item of an empty lane: it is read with its destination, and the order of its lane is kept. */
import { expect, test } from 'vitest'
import { ensureLaneDue } from '../../../lib/outbox/lanes/lane.ts'
import { destinationAt } from '../../../lib/outbox/messages/message-item.ts'
import { wakeCommitted } from '../../../lib/outbox/wake-ups/queues.ts'
import { leaseLane } from './lease-lane.ts'
import { answered, failing, newOrigin, type OutboxScene, useOutboxScene } from './scene.ts'

/** Ms after which SQS repeats a wake-up whose invocation has died. */
const VISIBILITY = 180_000

const scene = await useOutboxScene()

type To = ReturnType<OutboxScene['newLane']>

/** Sends a message to an empty lane, as send-message does. */
const sendFirst = async (to: To, payload: string, options: Parameters<OutboxScene['commit']>[2]) => {
  const itemId = await scene.commit(to, payload, options)
  await wakeCommitted([{ lane: to.lane, itemId, firstTo: options && destinationAt(`${options.origin}/`) }])
}

test('costs three requests if its destination is not cached: lease, one read of both, outcome with the removal of the lane', async () => {
  await sendFirst(scene.newLane(), 'first', { origin: newOrigin() })
  scene.table.watch()
  await scene.handleAll()
  expect(scene.accepted).toEqual(['first'])
  expect(scene.table.requests).toEqual(['UpdateItem', 'BatchGetItem', 'TransactWriteItems'])
  expect(await scene.left()).toEqual([])
})

test('costs no more if the destination is cached', async () => {
  const origin = newOrigin()
  await sendFirst(scene.newLane(), 'first', { origin })
  await scene.handleAll()
  await sendFirst(scene.newLane(), 'second', { origin })
  scene.table.watch()
  await scene.handleAll()
  expect(scene.table.requests).toEqual(['UpdateItem', 'Query', 'TransactWriteItems'])
})

test('makes no attempt if its destination is closed', async () => {
  const origin = newOrigin()
  scene.respond = () => failing('connect')
  await sendFirst(scene.newLane(), 'closes it', { origin })
  await scene.handleAll()
  scene.now += 3_001
  scene.waiting.length = 0
  await sendFirst(scene.newLane(), 'waits', { origin })
  await scene.handleAll()
  expect(scene.attempts).toHaveLength(1)
  scene.respond = () => answered(200)
  await scene.pass(10 * 60_000)
  expect(scene.accepted.sort()).toEqual(['closes it', 'waits'])
  expect(await scene.left()).toEqual([])
})

test('leaves an item that was committed at the same time to its own wake-up', async () => {
  const to = scene.newLane()
  const origin = newOrigin()
  await sendFirst(to, 'one', { origin, id: '0199-b' })
  await scene.commit(to, 'two', { origin, id: '0199-a' })
  await scene.handleAll()
  expect(scene.accepted).toEqual(['one'])
  await scene.committed(to.lane)
  expect(scene.accepted).toEqual(['one', 'two'])
  expect(await scene.left()).toEqual([])
})

test('is followed in the same delivery by an item whose wake-up arrived meanwhile', async () => {
  const to = scene.newLane()
  const origin = newOrigin()
  scene.respond = async ({ payload }) => {
    if (payload === 'one') {
      await scene.commit(to, 'two', { origin })
      await scene.committed(to.lane)
    }
    return answered(200)
  }
  await sendFirst(to, 'one', { origin })
  await scene.handleAll()
  expect(scene.accepted).toEqual(['one', 'two'])
  expect(await scene.left()).toEqual([])
})

test('is followed by an item that was committed at the same time, and whose wake-up fails permanently meanwhile', async () => {
  const to = scene.newLane()
  const origin = newOrigin()
  scene.respond = async ({ payload }) => {
    if (payload === 'one') await ensureLaneDue(to.lane, scene.now)
    return answered(200)
  }
  await scene.commit(to, 'two', { origin })
  await sendFirst(to, 'one', { origin })
  await scene.handleAll()
  await scene.pass(10 * 60_000)
  expect(scene.accepted).toEqual(['one', 'two'])
  expect(await scene.left()).toEqual([])
})

test('is followed by an item whose wake-up was handled before the holder of the lane died', async () => {
  const to = scene.newLane()
  const origin = newOrigin()
  await sendFirst(to, 'one', { origin })
  await leaseLane({ lane: to.lane, reason: { kind: 'committed' } }, 'died', scene.now)
  await scene.commit(to, 'two', { origin })
  await scene.committed(to.lane)
  scene.now += VISIBILITY
  await scene.handleAll()
  expect(scene.accepted).toEqual(['one', 'two'])
  expect(await scene.left()).toEqual([])
})

test('does not overtake an item that has failed, however late its wake-up arrives', async () => {
  const to = scene.newLane()
  const origin = newOrigin()
  scene.respond = () => answered(500)
  await scene.send(to, 'one', { origin })
  await scene.handleAll()
  scene.waiting.length = 0
  scene.respond = () => answered(200)
  await sendFirst(to, 'two', { origin })
  scene.now += 60_000
  await scene.handleAll()
  expect(scene.accepted).toEqual(['one', 'two'])
  expect(await scene.left()).toEqual([])
})

test('is sent once although its wake-up is repeated after it was delivered', async () => {
  const to = scene.newLane()
  await sendFirst(to, 'one', { origin: newOrigin() })
  const [wakeUp] = scene.waiting
  await scene.handleAll()
  scene.now += 60_000
  if (wakeUp !== undefined) await scene.handle(wakeUp)
  expect(scene.accepted).toEqual(['one'])
  expect(await scene.left()).toEqual([])
})

test('does not lose an item that was committed during an attempt whose invocation died', async () => {
  const to = scene.newLane()
  const origin = newOrigin()
  await sendFirst(to, 'one', { origin })
  const [wakeUp] = scene.waiting.splice(0)
  await leaseLane({ lane: to.lane, reason: { kind: 'committed' } }, 'of one that dies', scene.now)
  await scene.send(to, 'two', { origin })
  await scene.handleAll()
  scene.now += VISIBILITY
  if (wakeUp !== undefined) await scene.handle(wakeUp)
  await scene.handleAll()
  expect(scene.accepted).toEqual(['one', 'two'])
  expect(await scene.left()).toEqual([])
})

test('is set aside if it cannot be read, and the next item is sent', async () => {
  const to = scene.newLane()
  const origin = newOrigin()
  await scene.table.put({ pk: { S: to.lane }, sk: { S: '0199-a' }, kind: { S: 'outbox' }, messages: { S: '{' } })
  await scene.commit(to, 'two', { origin, id: '0199-b' })
  await wakeCommitted([{ lane: to.lane, itemId: '0199-a', firstTo: destinationAt(`${origin}/`) }])
  await scene.handleAll()
  expect(scene.accepted).toEqual(['two'])
  expect(await scene.left()).toEqual([])
})
