/** The functions deliver and deliverSlowly: each wake-up is a delivery of its lane, and a failed one is repeated. */
import { randomUUID } from 'node:crypto'
import type { Context, SQSRecord } from 'aws-lambda'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { deliver } from '../../../functions/deliver.ts'
import { deliverSlowly } from '../../../functions/deliver-slowly.ts'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { readDestination, reportToDestination } from '../../../lib/outbox/destinations/destination-access.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { destinationAt, outboxItem } from '../../../lib/outbox/messages/message-item.ts'
import { endpointDestination, messageLane, originOf } from '../../../lib/outbox/wake-ups/keys.ts'
import { committedId, encodeWakeUp, type LaneWakeUp, type WakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { dueFor } from '../../../lib/store/due.ts'
import { eventFor, readStoredEvent, storeEvent } from '../../support/webhooks/webhook-scene.ts'
import { leaseLane } from '../outbox/lease-lane.ts'
import { failure } from '../store/started-table.ts'
import { deliveryScene, quick } from '../webhooks/delivery-scene.ts'

const scene = deliveryScene()

const context = (milliseconds = 30_000) => ({ getRemainingTimeInMillis: () => milliseconds }) as Context
const recordOf = (messageId: string, wakeUp: WakeUp | string) =>
  ({ messageId, body: typeof wakeUp === 'string' ? wakeUp : encodeWakeUp(wakeUp) }) as SQSRecord
const woken = (messageId: string, lane: string) => recordOf(messageId, { lane, reason: { kind: 'committed' } })

const failedOf = async (Records: SQSRecord[], by: typeof deliver = deliver, milliseconds?: number) =>
  (await by({ Records }, context(milliseconds))).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)

test('an event that is delivered is reported as done', async () => {
  expect(await failedOf([woken('m1', scene.lane)])).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
})

test('an event that is not accepted is reported as done too: the table has its next attempt', async () => {
  scene.receiver.behave({ status: 500 })
  expect(await failedOf([woken('m1', scene.lane)])).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 1 })
  expect(await scene.laneState()).toMatchObject({ dueAt: expect.any(Number) })
})

test('several lanes of a batch are delivered, beside one of an unknown kind', async () => {
  const other = eventFor(scene.endpoint, { recordId: 'other' })
  const records = [woken('m1', scene.lane), woken('m2', 'a lane of no kind'), woken('m3', await storeEvent(other))]
  expect(await failedOf(records)).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
  expect(await readStoredEvent(other)).toMatchObject({ state: 'delivered' })
})

test.each(['', 'x', 'null', '{}', '{"lane":1}', '{"lane":"a"}', '{"destination":"https://a.example","at":1}'])(
  'a message that is not a wake-up of a lane is dropped with a log line: %s',
  async (body) => {
    expect(await failedOf([recordOf('m1', body)])).toEqual([])
    expect(scene.lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', event: 'wake_up.malformed', messageId: 'm1', WakeUpsDead: 1 },
    ])
  },
)

test('while DynamoDB is unavailable, the wake-up is repeated, and no attempt is counted', async () => {
  scene.table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  expect(await failedOf([woken('m1', scene.lane)])).toEqual(['m1'])
  scene.table.way = undefined
  expect(scene.receiver.connections()).toBe(0)
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 0 })
  expect(await failedOf([woken('m1', scene.lane)])).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered', attempts: 1 })
})

test('a lane with two concurrent wake-ups is delivered once', async () => {
  expect(await failedOf([woken('m1', scene.lane), woken('m2', scene.lane)])).toEqual([])
  expect(scene.receiver.received).toHaveLength(1)
})

test('a repeated wake-up of a leased lane makes it due when the lease ends: the first invocation has died', async () => {
  const { leased } = await leaseLane({ lane: scene.lane, reason: { kind: 'committed' } }, 'died', Date.now())
  const again = { ...woken('m1', scene.lane), attributes: { ApproximateReceiveCount: '2' } } as SQSRecord
  expect(await failedOf([again])).toEqual([])
  expect(scene.receiver.received).toEqual([])
  expect(await scene.laneState()).toMatchObject({ lease: 'died', dueAt: leased?.leaseUntil })
  expect(scene.queues.sent).toMatchObject([
    { queue: 'timers', body: { lane: scene.lane, reason: { kind: 'due', at: leased?.leaseUntil } } },
  ])
})

describe('a wake-up of a message', () => {
  const TENANT = 'tenant'
  let connectionId = ''
  let lane = ''

  beforeEach(async () => {
    connectionId = randomUUID()
    lane = messageLane(TENANT, connectionId)
    await scene.table.put(destinationItem.encode(quick(originOf(destinationAt(scene.receiver.url)))))
  })

  const commit = (id: string, count = 1) => {
    const messages = Array.from({ length: count }, () => ({ endpoint: scene.receiver.url, payload: '{}' }))
    const createdAt = new Date().toISOString()
    return scene.table.put(
      outboxItem.encode({ tenant: TENANT, connectionId, id, messages, taken: 0, attempts: 0, createdAt }),
    )
  }
  const receive = async (id: string, ApproximateReceiveCount = '1') => {
    const attributes = { ApproximateReceiveCount, MessageDeduplicationId: committedId(lane, id) }
    scene.table.watch()
    expect(await failedOf([{ ...woken(id, lane), attributes } as SQSRecord])).toEqual([])
    return scene.table.requests
  }

  test('makes no request if this process has delivered the message after an earlier one', async () => {
    await commit('1')
    await commit('2', 2)
    await receive('1')
    expect(scene.receiver.received).toHaveLength(3)
    expect(await receive('2')).toEqual([])
    await commit('3')
    await receive('3')
    expect(scene.receiver.received).toHaveLength(4)
  })

  test('goes to the lane if it is repeated: the first invocation has died, maybe with the lease', async () => {
    await commit('1')
    await receive('1')
    await commit('2')
    await receive('1', '2')
    expect(scene.receiver.received).toHaveLength(2)
  })

  test.each<[string, Parameters<typeof scene.receiver.behave>]>([
    ['a message that was not accepted', [{ status: 500 }]],
    ['the rest of an item with several messages of which one was not accepted', [{ status: 200 }, { status: 500 }]],
  ])('delivers %s', async (_, answers) => {
    await commit('1', answers.length)
    scene.receiver.behave(...answers)
    await receive('1')
    await scene.table.put(laneItem.encode({ lane }))
    scene.receiver.behave({ status: 200 })
    await receive('1')
    expect(scene.receiver.received).toHaveLength(answers.length + 1)
  })
})

test('the lane of a slow endpoint is delivered from the slow queue only', async () => {
  const read = await readDestination(endpointDestination(scene.endpoint.id), Date.now())
  await reportToDestination(read.destination, { kind: 'took', took: 14_000, answered: true }, Date.now())
  expect(await failedOf([woken('m1', scene.lane)])).toEqual([])
  expect(scene.receiver.connections()).toBe(0)
  expect(scene.queues.sent).toMatchObject([{ queue: 'slow-wake-ups.fifo', body: { lane: scene.lane } }])
  const [handedOver] = scene.queues.sent
  expect(await failedOf([recordOf('m2', JSON.stringify(handedOver?.body))], deliverSlowly)).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
})

test('no second attempt is started without enough time: its lane is woken again', async () => {
  const next = eventFor(scene.endpoint, { sequence: scene.event.sequence + 1 })
  await storeEvent(next)
  expect(await failedOf([woken('m1', scene.lane)], deliver, 20_000)).toEqual([])
  expect(scene.receiver.received).toHaveLength(1)
  expect(await readStoredEvent(next)).toMatchObject({ state: 'pending', attempts: 0 })
  expect(scene.queues.sent.at(-1)).toMatchObject({ body: { lane: scene.lane } })
})

describe('a wake-up that has waited in its queue for too long', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const MINUTE = 60_000
  const late = (reason: LaneWakeUp['reason'], queuedFor: number) => {
    const SentTimestamp = String(scene.now - queuedFor)
    const attributes = { SentTimestamp, ApproximateFirstReceiveTimestamp: String(scene.now) }
    return { ...recordOf('m1', { lane: scene.lane, reason }), attributes } as SQSRecord
  }

  /** Handles so many late wake-ups of the endpoint that further ones are postponed. */
  const manyAreLate = async (by = deliver) => {
    const [first = '', orgId = '', endpointId = ''] = scene.lane.split('|')
    const others = Array.from({ length: 5 }, (_, index) => `${first}|${orgId}|${endpointId}|other-${index}`)
    for (const lane of others) {
      const { body: _, ...record } = late({ kind: 'committed' }, 5 * MINUTE)
      await failedOf([{ ...record, ...recordOf('other', { lane, reason: { kind: 'committed' } }) } as SQSRecord], by)
    }
  }

  test('is delivered if few are late: the function of an earlier one in its group may have died', async () => {
    expect(await failedOf([late({ kind: 'committed' }, MINUTE)])).toEqual([])
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
  })

  test.each([
    ['was first received in time, and is repeated after its function has died', { ApproximateReceiveCount: '2' }],
    ['has no times of its queue', { SentTimestamp: undefined }],
  ])('is not one that %s', async (_, attributes) => {
    await manyAreLate()
    const record = late({ kind: 'committed' }, 5 * MINUTE)
    const { SentTimestamp } = record.attributes
    const inTime = { ...record.attributes, ApproximateFirstReceiveTimestamp: SentTimestamp, ...attributes }
    await failedOf([{ ...record, attributes: inTime } as SQSRecord])
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
  })

  test('is delivered if the others were late more than a minute ago', async () => {
    await manyAreLate()
    vi.setSystemTime(Date.now() + MINUTE)
    await failedOf([late({ kind: 'committed' }, MINUTE)])
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
  })

  test('makes its attempt if it is a probe, because other lanes wait for the result', async () => {
    await manyAreLate(deliverSlowly)
    const probe = { waiting: 'entry', destination: endpointDestination(scene.endpoint.id), at: Date.now() }
    await scene.table.put(laneItem.encode({ lane: scene.lane, waiting: probe.waiting, waitsFor: probe.destination }))
    await failedOf([late({ kind: 'probe', ...probe }, 4 * MINUTE)], deliverSlowly)
    expect(scene.receiver.connections()).toBe(1)
  })

  test('is postponed if many are late, and one that is not late is delivered', async () => {
    await manyAreLate()
    expect(await failedOf([late({ kind: 'committed' }, MINUTE)])).toEqual([])
    expect(scene.receiver.connections()).toBe(0)
    const { dueAt = 0 } = (await scene.laneState()) ?? {}
    expect(dueAt).toBe(Date.now())
    expect(await failedOf([late({ kind: 'due', at: dueAt }, 0)])).toEqual([])
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
  })

  test('makes a due lane due again, unless it is leased or has another time', async () => {
    await manyAreLate()
    const at = Date.now() - 10 * MINUTE
    await scene.table.put(laneItem.encode({ lane: scene.lane, ...dueFor(scene.lane, at) }))
    await failedOf([late({ kind: 'due', at: at - 1 }, MINUTE)])
    expect(await scene.laneState()).toMatchObject({ dueAt: at })
    await failedOf([late({ kind: 'due', at }, MINUTE)])
    const { dueAt = 0 } = (await scene.laneState()) ?? {}
    expect(dueAt).toBeGreaterThan(at)
    await leaseLane({ lane: scene.lane, reason: { kind: 'due', at: dueAt } }, 'another', Date.now())
    const leased = await scene.laneState()
    await failedOf([late({ kind: 'due', at: leased?.dueAt ?? 0 }, MINUTE)])
    expect(await scene.laneState()).toEqual(leased)
  })

  test.each([
    ['was handed over to the slow queue', dueFor('lane', Date.now() + 10 * MINUTE)],
    ['waits for its destination', { waitsFor: 'destination' }],
    ['waits for its next attempt', { waiting: undefined, ...dueFor('lane', Date.now() + 10 * MINUTE) }],
  ])('of a commit does not change a lane that %s', async (_, waits) => {
    await manyAreLate()
    await scene.table.put(laneItem.encode({ lane: scene.lane, waiting: 'slow|lease', ...waits }))
    const before = await scene.laneState()
    expect(await failedOf([late({ kind: 'committed' }, MINUTE)])).toEqual([])
    expect(await scene.laneState()).toEqual(before)
  })

  test('may wait longer in the slow queue', async () => {
    await manyAreLate(deliverSlowly)
    const waiting = 'slow|lease'
    await scene.table.put(
      laneItem.encode({ lane: scene.lane, waiting, ...dueFor(scene.lane, Date.now() + 10 * MINUTE) }),
    )
    await failedOf([late({ kind: 'released', waiting }, 4 * MINUTE)], deliverSlowly)
    expect(scene.receiver.connections()).toBe(0)
    expect((await scene.laneState())?.dueAt).toBe(Date.now())
    await failedOf([late({ kind: 'released', waiting }, MINUTE)], deliverSlowly)
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
  })
})
