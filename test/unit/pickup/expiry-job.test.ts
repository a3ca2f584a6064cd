/** The job of a pickup queue: only it gives up messages that are not fetched, so internal errors must not end it. */
import { afterAll, expect, test, vi } from 'vitest'
import { enqueue, jobItem } from '../../../lib/jobs/job.ts'
import { runJob } from '../../../lib/jobs/run.ts'
import { outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { CONNECTION } from '../../../lib/outbox/wake-ups/keys.ts'
import { pickupExpiryJob } from '../../../lib/pickup/expiry-job.ts'
import { listedQueue, pickupMessage, queueItem, usageItem } from '../../../lib/pickup/pickup-item.ts'
import { emptyByJob } from '../../../lib/pickup/queue.ts'
import { readItem } from '../../../lib/store/item.ts'
import { corruptAddress, recordAddress } from '../../../lib/store/keys.ts'
import { addressOf, toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'

const DAY = 24 * 60 * 60_000

process.env.LOG_LEVEL = 'error'
const logged = vi.spyOn(console, 'log').mockImplementation(() => {})
vi.useFakeTimers({ toFake: ['Date'] })
afterAll(() => void vi.useRealTimers())
// There are no connections here, and the items differ from those of a commit.
const { table } = await useTableAndQueues({ check: false })

/** A queue with its counts, its job, and its first message, which is not stored. */
const newQueue = async (connectionId: string, has: { messages: number; bytes: number }) => {
  const queue = { tenant: 'acme', connectionId }
  const key = { tenant: 'acme', type: 'pickup-expiry', id: connectionId } as const
  await table.put(queueItem.encode({ ...queue, ...has }))
  await transaction('acme', async (unit) => enqueue(unit, key))
  return {
    queue,
    key,
    message: { ...queue, id: '00000000-0000-7000-8000-000000000000', payload: '{}', recipients: [] },
  }
}

test('a permanent error is counted each day, and the messages are given up after the fix', async () => {
  const { queue, key, message } = await newQueue('c', { messages: 1, bytes: 2 })
  await table.put(pickupMessage.encode({ ...message, createdAt: new Date(0).toISOString() }))
  const usage = usageItem.encode({ ...queue, messages: 1, bytes: 2 })
  await table.put({ ...usage, messages: { S: 'many' } })
  const start = Date.now()
  for (let run = 0; run < 8; run++) {
    await runJob(key, pickupExpiryJob)
    vi.setSystemTime((await readItem(jobItem, key))?.dueAt ?? 0)
  }
  expect(Math.floor((Date.now() - start) / DAY)).toBe(2)
  expect(await readItem(queueItem, queue)).toMatchObject({ messages: 1 })
  await table.put(usage)
  vi.setSystemTime(Date.now() + DAY)
  for (let run = 0; run < 2; run++) await runJob(key, pickupExpiryJob)
  expect(await readItem(queueItem, queue)).toBeUndefined()
  expect(await readItem(jobItem, key)).toBeUndefined()
})

test('messages that were set aside are subtracted from the share when the queue ends', async () => {
  const { queue, key } = await newQueue('empty', { messages: 2, bytes: 5 })
  await table.put(usageItem.encode({ ...queue, messages: 3, bytes: 7, countedAt: Date.now() }))
  await table.put(listedQueue.encode(queue))
  await runJob(key, pickupExpiryJob)
  expect(await readItem(queueItem, queue)).toBeUndefined()
  expect(await readItem(listedQueue, queue)).toBeUndefined()
  expect(await readItem(usageItem, queue)).toMatchObject({ messages: 1, bytes: 2 })
})

test('the job of a queue with younger messages runs once a day, to recount its share', async () => {
  const now = Date.now()
  const { queue, key, message } = await newQueue('waits', { messages: 1, bytes: 2 })
  await table.put(listedQueue.encode(queue))
  await table.put({ ...toKey(recordAddress('acme', CONNECTION, 'waits')), kind: { S: 'record' } })
  await table.put(pickupMessage.encode({ ...message, createdAt: new Date(now).toISOString() }))
  await runJob(key, pickupExpiryJob)
  expect(await readItem(jobItem, key)).toMatchObject({ dueAt: now + DAY })
  expect(await readItem(usageItem, queue)).toMatchObject({ messages: 1, bytes: 2, countedAt: now })
  vi.setSystemTime(now + 14 * DAY)
  await runJob(key, pickupExpiryJob)
  expect(await readItem(pickupMessage, message)).toBeUndefined()
  expect(await readItem(outcomeItem, message)).toMatchObject({
    lastError: 'the other agent did not fetch it within 14 days',
  })
})

test('messages for a connection that does not exist are given up immediately', async () => {
  const { key, message } = await newQueue('deleted', { messages: 1, bytes: 2 })
  await table.put(pickupMessage.encode({ ...message, createdAt: new Date().toISOString() }))
  await runJob(key, pickupExpiryJob)
  expect(await readItem(pickupMessage, message)).toBeUndefined()
  expect(await readItem(outcomeItem, message)).toMatchObject({ lastError: 'the connection was deleted' })
})

test('messages for a connection that is deleted while the job runs are given up in the next run, which is due immediately', async () => {
  const { key, message } = await newQueue('amid-run', { messages: 1, bytes: 2 })
  await table.put({ ...toKey(recordAddress('acme', CONNECTION, 'amid-run')), kind: { S: 'record' } })
  await table.put(pickupMessage.encode({ ...message, createdAt: new Date().toISOString() }))
  await runJob(key, {
    ...pickupExpiryJob,
    run: async (job) => {
      const result = await pickupExpiryJob.run(job)
      await removeIf(recordAddress('acme', CONNECTION, 'amid-run'))
      await transaction('acme', (unit) => emptyByJob(unit, 'amid-run'))
      return result
    },
  })
  await runJob(key, pickupExpiryJob)
  expect(await readItem(outcomeItem, message)).toMatchObject({ lastError: 'the connection was deleted' })
})

test('unreadable messages are set aside immediately, and logged for an operator', async () => {
  const { key, message } = await newQueue('broken', { messages: 1, bytes: 2 })
  await table.put({ ...toKey(recordAddress('acme', CONNECTION, 'broken')), kind: { S: 'record' } })
  const broken = { ...pickupMessage.encode({ ...message, createdAt: new Date().toISOString() }), payload: { N: '1' } }
  await table.put(broken)
  await runJob(key, pickupExpiryJob)
  const kept = corruptAddress(addressOf(broken))
  expect(logged).toHaveBeenCalledWith(expect.stringMatching(/"outbox.item_corrupt".*"WorkGivenUp":1/))
  expect(logged).toHaveBeenCalledWith(expect.stringContaining(`"movedTo":"${kept.pk}"`))
  expect(await table.get(addressOf(broken))).toBeUndefined()
  expect(await table.get(kept)).toMatchObject({ payload: { N: '1' } })
})

test('the job of a queue that was removed ends too', async () => {
  const { queue, key } = await newQueue('gone', { messages: 0, bytes: 0 })
  await removeIf(queueItem.addressOf(queue))
  await runJob(key, pickupExpiryJob)
  expect(await readItem(jobItem, key)).toBeUndefined()
})

test('a queue is not removed if a message is added meanwhile', async () => {
  const { queue, key, message } = await newQueue('again', { messages: 0, bytes: 0 })
  await runJob(key, {
    ...pickupExpiryJob,
    run: async (job) => {
      const done = await pickupExpiryJob.run(job)
      await table.put(pickupMessage.encode({ ...message, createdAt: new Date().toISOString() }))
      return done
    },
  })
  expect(await readItem(queueItem, queue)).toBeDefined()
})

test('a queue is not removed if a message is added while its removal is written', async () => {
  const { queue, key, message } = await newQueue('amid', { messages: 0, bytes: 0 })
  table.way = async (command, send) => {
    if (command === 'TransactWriteItems') {
      table.way = undefined
      await table.put(queueItem.encode({ ...queue, messages: 1, bytes: 2 }))
      await table.put(pickupMessage.encode({ ...message, createdAt: new Date().toISOString() }))
    }
    await send()
  }
  await runJob(key, pickupExpiryJob)
  expect(await readItem(queueItem, queue)).toMatchObject({ messages: 1 })
})
