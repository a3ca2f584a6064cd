/** The job of a pickup queue: it gives up messages that were not fetched in time, and ends when the queue is empty. */

import { AgentError } from '../errors.ts'
import type { Done, Job, JobHandler, PutOff } from '../jobs/job.ts'
import { measure } from '../metrics.ts'
import { logCorrupt } from '../outbox/lanes/index.ts'
import { CONNECTION, LAST_WAITING } from '../outbox/wake-ups/index.ts'
import { decodeIfSound } from '../store/item.ts'
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

/** In ms since the epoch. An unreadable message has expired. */
const expiresAt = (item: Item): number => {
  const message = decodeIfSound(pickupMessage, item)
  return message === undefined ? 0 : Date.parse(message.createdAt) + MAX_WAIT
}

export const pickupExpiryJob: JobHandler = {
  run: async ({ tenant, id }: Job): Promise<Done | PutOff> => {
    await countUsage({ tenant, connectionId: id })
    const [connection, { items }] = await Promise.all([
      getItem(recordAddress(tenant, CONNECTION, id)),
      queryPage(pickupPartition({ tenant, connectionId: id }), { to: LAST_WAITING, limit: BATCH.messages }),
    ])
    if (items.length === 0) return { commit: (unit) => removeQueue(unit, id) }
    const now = Date.now()
    // Nobody can fetch the messages of a connection that was deleted or has expired.
    const isOver = (item: Item) => connection === undefined || expiresAt(item) <= now
    const oldest = items.find((item) => !isOver(item))
    const over = items.filter(isOver)
    // There may be more of them.
    const later = oldest === undefined ? 0 : Math.min(expiresAt(oldest) - now, DAY)
    const lastError = connection === undefined ? DELETED : NOT_FETCHED
    return { later, commit: (unit) => giveUp(unit, id, over, lastError) }
  },

  // Only this job gives up what nobody fetches.
  again: DAY,
  giveUp: async () => undefined,
}

/** Throws `store.conflict` if a message was added concurrently: then the job runs again. */
const removeQueue = async (unit: UnitOfWork, connectionId: string): Promise<void> => {
  const queue = await unit.load(queueItem, { tenant: unit.tenant, connectionId })
  if (queue === undefined) return
  const { items } = await unit.query(pickupPartition({ tenant: unit.tenant, connectionId }), {
    to: LAST_WAITING,
    limit: 1,
  })
  if (items.length > 0) throw new AgentError('store.conflict', 'a message was added to the queue')
  const { messages, bytes } = queue
  unit.delete(queueItem.addressOf(queue), queueItem.attributes({ messages, bytes }))
  unit.delete(listedQueue.addressOf(queue))
  // Unreadable messages were set aside without being subtracted.
  addToUsage(unit, queue, difference(NOTHING, queue))
}

const giveUp = async (unit: UnitOfWork, connectionId: string, over: Item[], lastError: string): Promise<void> => {
  const now = Date.now()
  const messages: PickupMessage[] = []
  for (const item of await unit.getAll(over.map(addressOf))) {
    const message = decodeIfSound(pickupMessage, item)
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
      measure(
        'warn',
        'messages that nobody fetched were given up',
        { event: 'pickup.given_up', connectionId },
        { values },
      ),
    )
}
