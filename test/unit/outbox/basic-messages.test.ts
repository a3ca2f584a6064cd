/** The delivery state of basic messages is in their items, for any number of them in one outbox item, even if some were deleted. */
import { beforeEach, describe, expect, test } from 'vitest'
import { basicMessageAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { fromRecordItem, type StoredRecord, toRecordItem } from '../../../lib/store/stored-record.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { factsOf } from '../../../lib/webhooks/facts.ts'
import { inserted, modified } from '../../support/webhooks/changes.ts'
import { answered, newOrigin, type OutboxScene, useOutboxScene } from './scene.ts'

const HOUR = 60 * 60_000
const CREATED = '2026-01-01T00:00:00.000Z'

const scene = await useOutboxScene()
beforeEach(() => scene.reset())

type Lane = ReturnType<OutboxScene['newLane']>

const recordOf = ({ tenant, connectionId }: Lane, id: string, content = 'hello'): StoredRecord => ({
  ...{ tenant, type: 'BasicMessageRecord', id, version: 1, tags: { connectionId } },
  value: { id, createdAt: CREATED, connectionId, role: 'sender', content, metadata: {} },
})
const addressIn = ({ tenant, connectionId }: Lane, id: string) => basicMessageAddress(tenant, connectionId, CREATED, id)

/** Sends one item with basic messages of the same millisecond. */
const send = async (to: Lane, ids: string[], options: Parameters<OutboxScene['send']>[2] = {}) => {
  await scene.table.putAll(ids.map((id) => toRecordItem(recordOf(to, id))))
  await scene.send(to, ids, { ...options, basicMessages: ids.map((id) => ({ id, createdAt: CREATED })) })
}
const messagesIn = async (to: Lane) =>
  (await scene.table.items(`${to.tenant}|BasicMessageRecord|`)).map((item) => fromRecordItem(item))
const statesIn = async (to: Lane) =>
  (await messagesIn(to)).map(({ id, version, delivery }) => [id, version, delivery?.state])

test('that wait show the time of the next attempt', async () => {
  const to = scene.newLane()
  scene.respond = () => answered(500)
  await send(to, ['waits'], { origin: newOrigin() })
  await scene.handleAll()
  const delivery = { state: 'pending', attempts: 1, lastError: 'status 500', nextAttemptAt: expect.any(String) }
  expect(await messagesIn(to)).toMatchObject([{ id: 'waits', delivery }])
})

test('are given up with the number of attempts and the last error', async () => {
  const to = scene.newLane()
  scene.respond = () => answered(404)
  await send(to, ['late'], { origin: newOrigin(), createdAt: scene.now - 24 * HOUR })
  await scene.handleAll()
  const delivery = { state: 'failed', attempts: 1, lastError: 'status 404' }
  expect(await messagesIn(to)).toMatchObject([{ id: 'late', delivery }])
})

test('are delivered in one transaction with the removal of their item, which leaves no other item', async () => {
  const to = scene.newLane()
  await send(to, ['one', 'two'])
  scene.table.watch()
  await scene.handleAll()
  expect(scene.table.requests.filter((command) => command === 'TransactWriteItems')).toHaveLength(2)
  expect(await messagesIn(to)).toMatchObject(
    ['one', 'two'].map((id) => ({
      ...{ id, version: 2, value: { content: 'hello' } },
      delivery: { state: 'delivered', attempts: 1, deliveredAt: expect.any(String) },
    })),
  )
  expect(await scene.left()).toEqual([])
  expect(await scene.givenUp()).toBe(0)
  expect(await scene.table.check()).toEqual([])
})

test('of the largest content are delivered too', async () => {
  const to = scene.newLane()
  await send(to, ['one'])
  const large = recordOf(to, 'one', '界'.repeat(100_000))
  await scene.table.put(toRecordItem(large))
  await scene.handleAll()
  expect(await messagesIn(to)).toMatchObject([{ value: large.value, delivery: { state: 'delivered' } }])
})

describe('one that is deleted while its item is sent', () => {
  /** Deletes messages in the middle of the first attempt, which then ends with a status. */
  const deleteAmid = (to: Lane, ids: string[], status: number) => {
    scene.respond = async () => {
      for (const id of ids) await removeIf(addressIn(to, id))
      return answered(status)
    }
  }

  test.each([['one'], ['two'], ['one', 'two']])(
    'stays deleted, and the others are delivered: %s, %s',
    async (...ids) => {
      const to = scene.newLane()
      await send(to, ['one', 'two'])
      deleteAmid(to, ids, 200)
      await scene.handleAll()
      expect(scene.accepted).toEqual(['one', 'two'])
      const left = ['one', 'two'].filter((id) => !ids.includes(id))
      expect(await statesIn(to)).toEqual(left.map((id) => [id, 2, 'delivered']))
      expect(await scene.left()).toEqual([])
    },
  )

  test('stays deleted after a failed attempt, and after its item is given up', async () => {
    const to = scene.newLane()
    await send(to, ['one', 'two'], { origin: newOrigin() })
    deleteAmid(to, ['one'], 500)
    await scene.handleAll()
    expect(await statesIn(to)).toMatchObject([['two', 2, 'pending']])
    scene.respond = () => answered(500)
    await scene.pass(25 * HOUR)
    expect(await statesIn(to)).toEqual([['two', expect.any(Number), 'failed']])
    expect(await scene.givenUp()).toBe(1)
    expect(await scene.left()).toEqual([])
  })

  test('does not let a holder write after its lease has ended', async () => {
    const to = scene.newLane()
    await send(to, ['one', 'two'])
    scene.respond = async () => {
      await removeIf(addressIn(to, 'one'))
      const lane = await scene.lane(to.lane)
      if (lane?.lease !== undefined) await scene.table.put({ ...(await laneRow(to)), lease: { S: 'another' } })
      return answered(200)
    }
    await scene.handleAll()
    expect(await statesIn(to)).toEqual([['two', 1, undefined]])
  })
  const laneRow = async (to: Lane) =>
    (await scene.table.items(`${to.lane}|lane`)).find(({ kind }) => kind?.S === 'lane') ?? {}
})

describe('the process dies at each request, and one message is deleted before or after it', () => {
  test.each([true, false])('the other is delivered with one event (response lost: %s)', async (lost) => {
    for (let request = 1, reached = true; reached; request++) {
      await scene.reset()
      const to = scene.newLane()
      await send(to, ['one', 'two'])
      const before = toRecordItem(recordOf(to, 'two'))
      const told = factsOf(inserted(before))
      let last = before
      let requests = 0
      scene.table.way = async (_, sendOn) => {
        requests += 1
        if (requests === request) {
          scene.table.way = undefined
          if (lost) await sendOn()
          await removeIf(addressIn(to, 'one'))
          throw new Error('dead')
        }
        await sendOn()
      }
      const [wakeUp] = scene.waiting
      if (wakeUp !== undefined) await scene.handleOrRepeat(wakeUp)
      scene.table.way = undefined
      reached = requests >= request
      for (let minute = 0; minute < 10; minute++) {
        await scene.pass(60_000)
        const item = await scene.table.get(addressIn(to, 'two'))
        if (item?.version?.N !== last.version?.N) told.push(...factsOf(modified(last, item ?? {})))
        last = item ?? last
      }
      const left = (await statesIn(to)).filter(([id]) => reached || id === 'two')
      expect(left).toEqual([['two', expect.any(Number), 'delivered']])
      expect(told.map(({ type }) => type)).toEqual(['basic_message.sent', 'basic_message.delivered'])
      expect(await scene.left()).toEqual([])
    }
  })
})
