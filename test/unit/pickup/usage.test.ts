/** The usage of a share of an agent's pickup queues, which the first job of its queues recounts every half a day. */
import { expect, test, vi } from 'vitest'
import { listedQueue, queueItem, usageItem } from '../../../lib/pickup/pickup-item.ts'
import { addToUsage, countUsage } from '../../../lib/pickup/usage.ts'
import { readItem } from '../../../lib/store/item.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

process.env.LOG_LEVEL = 'warn'
// The queue here has neither messages nor a job.
const table = await useTable({ memory: true, check: false })

const HOUR = 60 * 60_000

test('is recounted once in half a day, for any number of queues', async () => {
  const key = { tenant: 'a', connectionId: 'b' }
  const now = Date.now()
  const usage = async () => readItem(usageItem, key)
  await table.put(queueItem.encode({ ...key, messages: 3, bytes: 30 }))
  await table.put(listedQueue.encode(key))
  await countUsage(key, now)
  expect(await usage()).toMatchObject({ messages: 3, bytes: 30, countedAt: now })

  await table.put(queueItem.encode({ ...key, messages: 5, bytes: 50 }))
  table.watch()
  await countUsage(key, now + 12 * HOUR - 1)
  expect(table.requests).toEqual(['UpdateItem'])
  expect(await usage()).toMatchObject({ messages: 3, bytes: 30, countedAt: now })
  await countUsage(key, now + 12 * HOUR)
  expect(await usage()).toMatchObject({ messages: 5, bytes: 50, countedAt: now + 12 * HOUR })
})

test('of many queues is counted in steps of a hundred', async () => {
  const first = usageItem.addressOf({ tenant: 'many', connectionId: '0' })
  const ids = Array.from({ length: 5_000 }, (_, id) => String(id))
  const queues = ids
    .map((connectionId) => ({ tenant: 'many', connectionId }))
    .filter((key) => usageItem.addressOf(key).pk === first.pk)
  expect(queues.length).toBeGreaterThan(200)
  for (const key of queues) {
    await table.put(queueItem.encode({ ...key, messages: 1, bytes: 2 }))
    await table.put(listedQueue.encode(key))
  }
  table.watch()
  await countUsage({ tenant: 'many', connectionId: '0' })
  const pages = Array.from({ length: Math.ceil(queues.length / 100) }, () => ['Query', 'BatchGetItem'])
  expect(table.requests).toEqual(['UpdateItem', ...pages.flat(), 'UpdateItem'])
  expect(await table.get(first)).toMatchObject({ messages: { N: String(queues.length) } })
})

test('that cannot be updated is logged, and the commit stays', async () => {
  const told = vi.spyOn(console, 'log').mockImplementation(() => {})
  const key = { tenant: 'told', connectionId: 'c' }
  table.way = (command, send) => (command === 'UpdateItem' ? Promise.reject(failure('AccessDeniedException')) : send())
  await transaction('told', async (unit) => {
    unit.create(queueItem.encode({ ...key, messages: 1, bytes: 2 }))
    addToUsage(unit, key, { messages: 1, bytes: 2 })
  })
  table.way = undefined
  expect(await readItem(queueItem, key)).toMatchObject({ messages: 1 })
  expect(told).toHaveBeenCalledWith(expect.stringContaining('"pickup.usage_not_counted"'))
})
