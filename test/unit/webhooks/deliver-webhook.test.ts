/** The function deliverWebhook: what it reports, when what failed comes back, and what it leaves for the next time. */
import { ChangeMessageVisibilityBatchCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { Context, SQSRecord } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { deliverWebhook } from '../../../functions/deliver-webhook.ts'
import { sqs } from '../../../lib/delivery/queue.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../../support/faulty-receiver.ts'
import { eventFor, readStoredEvent, registerAt, storeEvent } from '../../support/webhook-scene.ts'
import { failure, type StartedTable, startTable } from '../store/started-table.ts'

const QUEUE = 'http://127.0.0.1/000000000000/webhooks.fifo'

let table: StartedTable
let receiver: FaultyReceiver
/** Handles of messages and the seconds for which they were hidden. */
let hidden: [string | undefined, number | undefined][]

beforeAll(async () => {
  process.env.WEBHOOK_QUEUE_URL = QUEUE
  table = await startTable()
  const send = async (command: unknown) => {
    if (!(command instanceof ChangeMessageVisibilityBatchCommand)) throw new Error('not expected')
    expect(command.input.QueueUrl).toBe(QUEUE)
    for (const entry of command.input.Entries ?? []) hidden.push([entry.ReceiptHandle, entry.VisibilityTimeout])
    return {}
  }
  vi.spyOn(sqs() as SQSClient, 'send').mockImplementation(send as never)
})
afterAll(() => table.stop())
beforeEach(async () => {
  hidden = []
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  receiver = await startFaultyReceiver()
})
afterEach(async () => {
  table.way = undefined
  await receiver.stop()
})

const record = (messageId: string, body: string, { group = messageId, receipt = 1 } = {}) =>
  ({
    messageId,
    receiptHandle: `handle of ${messageId}`,
    body,
    attributes: { ApproximateReceiveCount: String(receipt), MessageGroupId: group },
  }) as SQSRecord

const deliver = async (Records: SQSRecord[], milliseconds = 30_000) => {
  const context = { getRemainingTimeInMillis: () => milliseconds } as Context
  const { batchItemFailures } = await deliverWebhook({ Records }, context)
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
}

const newEvent = async () => eventFor(await registerAt(`${receiver.url}/hook`))

test('an event that is delivered is reported as done and hidden no more', async () => {
  const event = await newEvent()
  expect(await deliver([record('m1', await storeEvent(event))])).toEqual([])
  expect(await readStoredEvent(event)).toMatchObject({ state: 'delivered' })
  expect(hidden).toEqual([])
})

test('an event that is not taken is reported, and comes back when its plan says', async () => {
  receiver.behave({ status: 500 })
  expect(await deliver([record('m1', await storeEvent(await newEvent()))])).toEqual(['m1'])
  expect(hidden).toEqual([['handle of m1', 5]])
})

test.each([
  [1, 2],
  [4, 16],
  [20, 300],
])(
  'after a fault of ours at receipt %i a message comes back in %i s, and no attempt is counted',
  async (receipt, seconds) => {
    const event = await newEvent()
    const body = await storeEvent(event)
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    expect(await deliver([record('m1', body, { receipt })])).toEqual(['m1'])
    table.way = undefined
    expect(hidden).toEqual([['handle of m1', seconds]])
    expect(await readStoredEvent(event)).toMatchObject({ state: 'pending', attempts: 0 })
  },
)

test('of a group nothing overtakes the event that is not taken, and another group goes its way', async () => {
  receiver.behave({ status: 500 })
  const [first, second] = [await newEvent(), await newEvent()]
  const other = await startFaultyReceiver()
  const third = eventFor(await registerAt(`${other.url}/hook`))
  const bodies = await Promise.all([first, second, third].map((event) => storeEvent(event)))
  const records = bodies.map((body, index) => record(`m${index}`, body, { group: index < 2 ? 'one' : 'two' }))
  expect(await deliver(records)).toEqual(['m0', 'm1'])
  expect(hidden).toEqual([
    ['handle of m0', 5],
    ['handle of m1', 5],
  ])
  expect(receiver.received).toHaveLength(1)
  expect(other.received).toHaveLength(1)
  await other.stop()
})

test('what there is no time for is left for the next time', async () => {
  const [first, second] = [await newEvent(), await newEvent()]
  const records = [
    record('m1', await storeEvent(first), { group: 'g' }),
    record('m2', await storeEvent(second), { group: 'g' }),
  ]
  expect(await deliver(records, 20_000)).toEqual(['m2'])
  expect(await readStoredEvent(second)).toMatchObject({ state: 'pending', attempts: 0 })
  expect(hidden).toEqual([['handle of m2', 0]])
})
