/** The job of a pickup queue: it gives up messages that were not fetched in time, and ends when the queue is empty. */

import { AgentError } from '../errors.ts'
import type { Done, Job, JobHandler, Postponed } from '../jobs/job.ts'
import { measure } from '../metrics.ts'
import { logCorrupt } from '../outbox/lanes/index.ts'
import { CONNECTION, WAITING_ITEMS_END } from '../outbox/wake-ups/index.ts'
import { tryDecode } from '../store/item.ts'
import { recordAddress } from '../store/keys.ts'
import { setAside, setAsideKey } from '../store/set-aside.ts'
import { addressOf, getItem, type Item, queryPage } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { BATCH, DAY, difference, MAX_DAYS, MAX_WAIT, NOTHING } from './bounds.ts'
import { listedQueue, type PickupMessage, pickupMessage, pickupPartition, queueItem } from './pickup-item.ts'
import { removeFromQueue } from './queue.ts'
import { addToUsage, countUsage } from './usage.ts'

const NOT_FETCHED = `the other agent did not fetch it within ${MAX_DAYS} days`
const DELETED = 'the connection was deleted'

/** In ms since the epoch. Unreadable messages count as expired. */
const expiresAt = (item: Item): number => {
  const message = tryDecode(pickupMessage, item)
  return message === undefined ? 0 : Date.parse(message.createdAt) + MAX_WAIT
}

export const pickupExpiryJob: JobHandler = {
  run: async ({ tenant, id }: Job): Promise<Done | Postponed> => {
    await countUsage({ tenant, connectionId: id })
    const [connection, { items }] = await Promise.all([
      getItem(recordAddress(tenant, CONNECTION, id)),
      queryPage(pickupPartition({ tenant, connectionId: id }), { to: WAITING_ITEMS_END, limit: BATCH.messages }),
    ])
    if (items.length === 0) return { commit: (unit) => removeQueue(unit, id) }
    const now = Date.now()
    // The messages of a deleted connection cannot be fetched any more.
    const isExpired = (item: Item) => connection === undefined || expiresAt(item) <= now
    const nextToExpire = items.find((item) => !isExpired(item))
    const expired = items.filter(isExpired)
    // If all have expired, there may be more: the job runs again immediately.
    const later = nextToExpire === undefined ? 0 : Math.min(expiresAt(nextToExpire) - now, DAY)
    const lastError = connection === undefined ? DELETED : NOT_FETCHED
    return { later, commit: (unit) => giveUp(unit, id, expired, lastError) }
  },

  // No other job gives up these messages.
  repeatAfter: DAY,
  giveUp: async () => undefined,
}

/** Throws `store.conflict` if a message was added concurrently: then the job runs again. */
const removeQueue = async (unit: UnitOfWork, connectionId: string): Promise<void> => {
  const queue = await unit.load(queueItem, { tenant: unit.tenant, connectionId })
  if (queue === undefined) return
  const { items } = await unit.query(pickupPartition({ tenant: unit.tenant, connectionId }), {
    to: WAITING_ITEMS_END,
    limit: 1,
  })
  if (items.length > 0) throw new AgentError('store.conflict', 'a message was added to the queue')
  const { messages, bytes } = queue
  unit.delete(queueItem.addressOf(queue), queueItem.attributes({ messages, bytes }))
  unit.delete(listedQueue.addressOf(queue))
  // The usage still contains unreadable messages that were set aside.
  addToUsage(unit, queue, difference(NOTHING, queue))
}

const giveUp = async (unit: UnitOfWork, connectionId: string, expired: Item[], lastError: string): Promise<void> => {
  const now = Date.now()
  const messages: PickupMessage[] = []
  for (const item of await unit.getAll(expired.map(addressOf))) {
    const message = tryDecode(pickupMessage, item)
    if (message !== undefined) {
      messages.push(message)
      continue
    }
    for (const write of setAside(item, now))
      if ('put' in write) unit.create(write.put)
      else if ('remove' in write) unit.delete(write.remove)
    logCorrupt({ tenant: unit.tenant, connectionId, kind: pickupMessage.kind, movedTo: setAsideKey(item) })
  }
  await removeFromQueue(unit, connectionId, messages, { state: 'failed', lastError })
  const values = { MessagesGivenUp: messages.length }
  if (messages.length > 0)
    unit.afterCommit(() =>
      measure('warn', 'messages given up: not fetched in time', { event: 'pickup.given_up', connectionId }, { values }),
    )
}
