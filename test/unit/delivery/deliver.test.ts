/** The functions deliver and deliverSlowly: each wake-up is a turn of its lane, and what could not be handled comes again. */
import type { Context, SQSRecord } from 'aws-lambda'
import { expect, test } from 'vitest'
import { deliver } from '../../../functions/deliver.ts'
import { deliverSlowly } from '../../../functions/deliver-slowly.ts'
import { readDestination } from '../../../lib/outbox/destination.ts'
import { leaseLane } from '../../../lib/outbox/lane.ts'
import { recordDuration } from '../../../lib/outbox/slow-destination.ts'
import { encodeWakeUp, type WakeUp } from '../../../lib/outbox/wake-up.ts'
import { endpointDestination } from '../../../lib/store/keys.ts'
import { eventFor, readStoredEvent, storeEvent } from '../../support/webhooks/webhook-scene.ts'
import { failure } from '../store/started-table.ts'
import { deliveryScene } from '../webhooks/delivery-scene.ts'

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

test('an event that is not taken is done with, too: the table has it, and its time', async () => {
  scene.receiver.behave({ status: 500 })
  expect(await failedOf([woken('m1', scene.lane)])).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 1 })
  expect(await scene.laneState()).toMatchObject({ dueAt: expect.any(Number) })
})

test('several lanes of a batch have their turns, and one that is of no kind takes none of the others with it', async () => {
  const other = eventFor(scene.endpoint, { recordId: 'other' })
  const records = [woken('m1', scene.lane), woken('m2', 'a lane of no kind'), woken('m3', await storeEvent(other))]
  expect(await failedOf(records)).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
  expect(await readStoredEvent(other)).toMatchObject({ state: 'delivered' })
})

test.each(['', 'x', 'null', '{}', '{"lane":1}', '{"lane":"a"}', '{"destination":"https://a.example","at":1}'])(
  'a message that is no wake-up of a lane is dropped with a line in the log: %s',
  async (body) => {
    expect(await failedOf([recordOf('m1', body)])).toEqual([])
    expect(scene.lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', event: 'wake_up.malformed', messageId: 'm1' },
    ])
  },
)

test('while the table does not answer, the wake-up comes again, and no attempt is counted', async () => {
  scene.table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  expect(await failedOf([woken('m1', scene.lane)])).toEqual(['m1'])
  scene.table.way = undefined
  expect(scene.receiver.connections()).toBe(0)
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 0 })
  expect(await failedOf([woken('m1', scene.lane)])).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered', attempts: 1 })
})

test('a lane that is woken twice at once is delivered once', async () => {
  expect(await failedOf([woken('m1', scene.lane), woken('m2', scene.lane)])).toEqual([])
  expect(scene.receiver.received).toHaveLength(1)
})

test('a wake-up that comes again while its lane is leased leaves the lane due when the lease is over: its first invocation has died', async () => {
  const { leased } = await leaseLane({ lane: scene.lane, reason: { kind: 'committed' } }, 'died', Date.now())
  const again = { ...woken('m1', scene.lane), attributes: { ApproximateReceiveCount: '2' } } as SQSRecord
  expect(await failedOf([again])).toEqual([])
  expect(scene.receiver.received).toEqual([])
  expect(await scene.laneState()).toMatchObject({ lease: 'died', dueAt: leased?.leaseUntil })
  expect(scene.queues.sent).toMatchObject([
    { queue: 'timers', body: { lane: scene.lane, reason: { kind: 'due', at: leased?.leaseUntil } } },
  ])
})

test('the lane of an endpoint that is slow is delivered in the slow queue only', async () => {
  const read = await readDestination(endpointDestination(scene.endpoint.id), Date.now())
  await recordDuration({ read, took: 14_000, answered: true, now: Date.now() })
  expect(await failedOf([woken('m1', scene.lane)])).toEqual([])
  expect(scene.receiver.connections()).toBe(0)
  expect(scene.queues.sent).toMatchObject([{ queue: 'slow-wake-ups.fifo', body: { lane: scene.lane } }])
  const [handedOver] = scene.queues.sent
  expect(await failedOf([recordOf('m2', JSON.stringify(handedOver?.body))], deliverSlowly)).toEqual([])
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
})

test('no second attempt is started when the function has no time for it: its lane is woken again', async () => {
  const next = eventFor(scene.endpoint, { sequence: scene.event.sequence + 1 })
  await storeEvent(next)
  expect(await failedOf([woken('m1', scene.lane)], deliver, 20_000)).toEqual([])
  expect(scene.receiver.received).toHaveLength(1)
  expect(await readStoredEvent(next)).toMatchObject({ state: 'pending', attempts: 0 })
  expect(scene.queues.sent.at(-1)).toMatchObject({ body: { lane: scene.lane } })
})
