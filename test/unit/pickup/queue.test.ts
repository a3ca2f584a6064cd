/** The order of a pickup queue, its limit, and the outcome of its messages. */
import { expect, test } from 'vitest'
import { jobItem } from '../../../lib/jobs/job.ts'
import { outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { DAY } from '../../../lib/pickup/bounds.ts'
import { listedQueue, pickupMessage, queueItem, usageItem } from '../../../lib/pickup/pickup-item.ts'
import {
  addToQueue,
  countWaiting,
  emptyByJob,
  findWaiting,
  firstWaiting,
  recordQueued,
  removeFromQueue,
} from '../../../lib/pickup/queue.ts'
import { readItem } from '../../../lib/store/item.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'

// The first message was added by another process: its queue has no job here.
const { table } = await useTableAndQueues({ check: false })

const timed = (ms: number): string =>
  ms
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2-7fff-bfff-ffffffffffff')

test('a message is behind all waiting ones, even if the clock of another process is fast', async () => {
  const at = Date.now() + 60_000
  const first = { tenant: 'acme', connectionId: 'c', id: timed(at), payload: '"first"', recipients: [] }
  const later = { ...first, id: timed(at + 1_000), payload: '"later"' }
  for (const message of [first, later])
    await table.put(pickupMessage.encode({ ...message, createdAt: new Date(at).toISOString() }))
  await table.put(queueItem.encode({ tenant: 'acme', connectionId: 'c', messages: 2, bytes: 14 }))
  for (const payload of ['"second"', '"third"'])
    await transaction('acme', (unit) => addToQueue(unit, 'c', { payload, recipients: [], isReply: false }))
  const waiting = await transaction('acme', (unit) => firstWaiting(unit, 'c', {}))
  expect(waiting.map(({ payload }) => payload)).toEqual(['"first"', '"later"', '"second"', '"third"'])
  // Its 14 days begin when it was sent.
  for (const { createdAt } of waiting.slice(2)) expect(Date.parse(createdAt)).toBeLessThan(at)
})

test.each([
  { messages: 999, bytes: 10 },
  { messages: 10, bytes: 10 * 1024 * 1024 - 5 },
])('only one of two concurrent messages gets the last place: $messages, $bytes', async (held) => {
  const key = { tenant: 'acme', connectionId: `full-${held.messages}` }
  await table.put(queueItem.encode({ ...key, ...held }))
  const others: (() => Promise<unknown>)[] = []
  const add = () =>
    transaction('acme', async (unit) => {
      await addToQueue(unit, key.connectionId, { payload: '"x"', recipients: [], isReply: false })
      await others.pop()?.()
    })
  others.push(add)
  await expect(add()).rejects.toMatchObject({ code: 'connection.queue_full' })
  expect(await table.get(queueItem.addressOf(key))).toMatchObject({ messages: { N: String(held.messages + 1) } })
})

const messageOf = (connectionId: string, index: number, payload = '"x"') => ({
  ...{ tenant: 'acme', connectionId, id: timed(index), payload, recipients: [] },
  createdAt: new Date().toISOString(),
})

test('messages of one commit count together for the limit', async () => {
  await table.put(queueItem.encode({ tenant: 'acme', connectionId: 'one-left', messages: 999, bytes: 10 }))
  const add = transaction('acme', async (unit) => {
    for (let added = 0; added < 2; added++)
      await addToQueue(unit, 'one-left', { payload: '"x"', recipients: [], isReply: false })
  })
  await expect(add).rejects.toMatchObject({ code: 'connection.queue_full' })
})

test.each([
  [6_250, false, false],
  [3_125, false, true],
  [3_125, true, false],
])('a share with %i waiting messages accepts another one (reply: %s): %s', async (messages, answers, hasRoom) => {
  const key = { tenant: `shares-${messages}-${answers}`, connectionId: 'c' }
  await table.put(usageItem.encode({ ...key, messages, bytes: 0 }))
  const add = () =>
    transaction(key.tenant, (unit) =>
      addToQueue(unit, key.connectionId, { payload: '"x"', recipients: [], isReply: answers }),
    )
  if (hasRoom) await add()
  else await expect(add()).rejects.toMatchObject({ code: 'connection.queue_full', message: /agents/ })
})

test('a queue beyond its limit can be emptied', async () => {
  const key = { tenant: 'acme', connectionId: 'overfull' }
  const message = messageOf('overfull', 1)
  await table.put(queueItem.encode({ ...key, messages: 2000, bytes: 10 }))
  await table.put(pickupMessage.encode(message))
  await transaction('acme', (unit) => removeFromQueue(unit, 'overfull', [message], { state: 'delivered' }))
  expect(await table.get(queueItem.addressOf(key))).toMatchObject({ messages: { N: '1999' } })
})

test('a message that is fetched twice concurrently is removed once', async () => {
  const key = { tenant: 'acme', connectionId: 'twice' }
  const message = messageOf('twice', 1)
  await table.put(queueItem.encode({ ...key, messages: 1, bytes: 3 }))
  await table.put(pickupMessage.encode(message))
  const remove = () => transaction('acme', (unit) => removeFromQueue(unit, 'twice', [message], { state: 'delivered' }))
  await remove()
  await expect(remove()).rejects.toMatchObject({ code: 'store.conflict' })
  expect(await table.get(queueItem.addressOf(key))).toMatchObject({ messages: { N: '0' } })
})

test('a batch has as many messages as fit, and skips unreadable ones', async () => {
  const large = 'x'.repeat(256 * 1024)
  for (const index of [1, 2, 3]) {
    const { payload: _, ...broken } = pickupMessage.encode(messageOf('batch', index))
    await table.put(broken)
  }
  for (const index of [4, 5, 6]) await table.put(pickupMessage.encode(messageOf('batch', index, large)))
  const batch = await transaction('acme', (unit) => firstWaiting(unit, 'batch', { batch: true, limit: 1 }))
  expect(batch.map(({ id }) => id)).toEqual([timed(4)])
  const more = await transaction('acme', (unit) => firstWaiting(unit, 'batch', { batch: true }))
  expect(more.map(({ id }) => id)).toEqual([timed(4), timed(5)])
})

test.each([{ state: 'delivered' }, { state: 'failed', lastError: 'not fetched' }] as const)(
  'a message that is $state is removed, and its deleted basic message is not created again',
  async (end) => {
    await transaction('acme', async (unit) => {
      const added = await addToQueue(unit, end.state, { payload: '"it"', recipients: [], isReply: false })
      recordQueued(added, { id: 'deleted', createdAt: new Date().toISOString() })
    })
    const waiting = () => transaction('acme', (unit) => firstWaiting(unit, end.state, {}))
    const messages = await waiting()
    expect(messages).toHaveLength(1)
    await transaction('acme', (unit) => removeFromQueue(unit, end.state, messages, end))
    expect(await waiting()).toEqual([])
    expect(await table.items('acme|BasicMessageRecord|')).toEqual([])
  },
)

test('at most a batch of named or requested messages is found, each once; all are counted', async () => {
  const ids = Array.from({ length: 31 }, (_, index) => timed(index + 1))
  const one = { tenant: 'acme', connectionId: 'named', payload: '"x"', recipients: [] }
  for (const id of ids) await table.put(pickupMessage.encode({ ...one, id, createdAt: new Date().toISOString() }))
  const twice = ids.flatMap((id) => [id, id])
  const found = await transaction('acme', (unit) => findWaiting(unit, 'named', twice))
  expect(found.map(({ id }) => id).toSorted()).toEqual(ids.slice(0, 30))
  expect(await transaction('acme', (unit) => findWaiting(unit, 'named', []))).toEqual([])
  const batch = await transaction('acme', (unit) => firstWaiting(unit, 'named', { batch: true, limit: 1e9 }))
  expect(batch.map(({ id }) => id)).toEqual(ids.slice(0, 30))
  expect(await transaction('acme', (unit) => firstWaiting(unit, 'named', {}))).toHaveLength(31)
})

test('a message for a key is found behind more than a batch of others', async () => {
  const recipients = ['did:key:theirs']
  for (let index = 1; index <= 40; index++)
    await table.put(pickupMessage.encode({ ...messageOf('keys', index), ...(index === 40 && { recipients }) }))
  const selection = { recipient: 'did:key:theirs', batch: true, limit: 1 } as const
  const batch = await transaction('acme', (unit) => firstWaiting(unit, 'keys', selection))
  expect(batch.map(({ id }) => id)).toEqual([timed(40)])
})

test('the first message creates its queue, lists and counts it in its share, and adds a job for the next day', async () => {
  const key = { tenant: 'acme', connectionId: 'new' }
  const before = (await readItem(usageItem, key)) ?? { messages: 0, bytes: 0 }
  const now = Date.now()
  await transaction('acme', (unit) => addToQueue(unit, 'new', { payload: '"é"', recipients: [], isReply: false }))
  expect(await readItem(queueItem, key)).toMatchObject({ messages: 1, bytes: 4 })
  expect(await readItem(listedQueue, key)).toBeDefined()
  expect(await readItem(usageItem, key)).toMatchObject({ messages: before.messages + 1, bytes: before.bytes + 4 })
  const job = await readItem(jobItem, { tenant: 'acme', type: 'pickup-expiry', id: 'new' })
  expect(Math.floor(((job?.dueAt ?? 0) - now) / DAY)).toBe(1)
})

test('a message to a queue that its job removes meanwhile creates both again', async () => {
  const key = { tenant: 'acme', connectionId: 'ended' }
  await table.put(queueItem.encode({ ...key, messages: 0, bytes: 0 }))
  let runs = 0
  await transaction('acme', async (unit) => {
    await addToQueue(unit, 'ended', { payload: '"x"', recipients: [], isReply: false })
    if (runs++ === 0) await removeIf(queueItem.addressOf(key))
  })
  expect(await readItem(queueItem, key)).toMatchObject({ messages: 1 })
  expect(await readItem(jobItem, { tenant: 'acme', type: 'pickup-expiry', id: 'ended' })).toBeDefined()
})

test('a queue that is only read is not created or written', async () => {
  const key = { tenant: 'acme', connectionId: 'looked-at' }
  expect(await transaction('acme', (unit) => countWaiting(unit, 'looked-at'))).toBe(0)
  expect(await readItem(queueItem, key)).toBeUndefined()
  await table.put(queueItem.encode({ ...key, messages: 1, bytes: 3 }))
  table.watch()
  expect(await transaction('acme', (unit) => countWaiting(unit, 'looked-at'))).toBe(1)
  expect(table.requests).toEqual(['BatchGetItem'])
})

test('a connection without a queue is deleted without a job', async () => {
  await transaction('acme', (unit) => emptyByJob(unit, 'none'))
  expect(await readItem(jobItem, { tenant: 'acme', type: 'pickup-expiry', id: 'none' })).toBeUndefined()
})

test('no job is created for a queue that its job has just removed', async () => {
  const key = { tenant: 'acme', connectionId: 'removed' }
  await table.put(queueItem.encode({ ...key, messages: 1, bytes: 3 }))
  await expect(transaction('acme', (unit) => emptyByJob(unit, 'removed'))).rejects.toMatchObject({
    code: 'store.conflict',
  })
  expect(await table.get(jobItem.addressOf({ tenant: 'acme', type: 'pickup-expiry', id: 'removed' }))).toBeUndefined()
})

test('the outcome of a message that was given up is stored for 14 days, without the message', async () => {
  const message = messageOf('given-up', 1, '"secret"')
  await table.put(pickupMessage.encode(message))
  await table.put(queueItem.encode({ tenant: 'acme', connectionId: 'given-up', messages: 1, bytes: 8 }))
  const end = { state: 'failed', lastError: 'nobody came' } as const
  await transaction('acme', (unit) => removeFromQueue(unit, 'given-up', [message], end))
  const item = await table.get(outcomeItem.addressOf(message))
  const outcome = outcomeItem.decode(item ?? {})
  const expiresAt = Math.floor(Date.parse(outcome.endedAt) / 1_000) + 14 * 24 * 60 * 60
  expect(outcome).toMatchObject({ messages: [], lastError: 'nobody came', expiresAt })
})
