/** The job of a pickup queue: it gives up messages that were not fetched in time, and ends when the queue is empty. */
import { AgentError } from '../errors.ts'
import type { Done, Job, JobHandler, PutOff } from '../jobs/job.ts'
import { log } from '../log.ts'
import { logCorrupt, setAside } from '../outbox/corrupt-item.ts'
import { decodeIfSound } from '../store/item.ts'
import { FIRST_WAITING, pickupPartition } from '../store/keys.ts'
import { addressOf, type Item, queryPage } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { BATCH, MAX_DAYS, MAX_WAIT } from './bounds.ts'
import { type PickupMessage, pickupMessage, queueItem, usageItem } from './pickup-item.ts'
import { removeFromQueue } from './queue.ts'

const NOT_FETCHED = `the other agent did not fetch it within ${MAX_DAYS} days`

/** In ms since the epoch. An unreadable message has expired. */
const expiresAt = (item: Item): number => {
  const message = decodeIfSound(pickupMessage, item)
  return message === undefined ? 0 : Date.parse(message.createdAt) + MAX_WAIT
}

export const pickupExpiryJob: JobHandler = {
  run: async ({ tenant, id }: Job): Promise<Done | PutOff> => {
    const { items } = await queryPage(pickupPartition(tenant, id), {
      from: FIRST_WAITING,
      limit: BATCH.messages + 1,
    })
    const now = Date.now()
    const oldest = items.find((item) => expiresAt(item) > now)
    const expired = items.slice(0, BATCH.messages).filter((item) => expiresAt(item) <= now)
    if (items.length === 0) return { commit: (unit) => removeQueue(unit, id) }
    // A full batch may not be the last.
    const later = expired.length === BATCH.messages || oldest === undefined ? 0 : expiresAt(oldest) - now
    return { later, commit: (unit) => giveUp(unit, id, expired) }
  },

  giveUp: async (_unit, { id }, reason) => {
    log('error', 'messages that nobody fetches are not given up any more', {
      event: 'pickup.expiry_stopped',
      ...{ connectionId: id, reason },
    })
  },
}

/** Throws `store.conflict` if a message was added concurrently: then the job runs again. */
const removeQueue = async (unit: UnitOfWork, connectionId: string): Promise<void> => {
  const queue = await unit.load(queueItem, { tenant: unit.tenant, connectionId })
  if (queue === undefined) return
  const { items } = await unit.query(pickupPartition(unit.tenant, connectionId), { from: FIRST_WAITING, limit: 1 })
  if (items.length > 0) throw new AgentError('store.conflict', 'a message was added to the queue')
  const { messages, bytes } = queue
  unit.delete(queueItem.addressOf(queue), queueItem.attributes({ messages, bytes }))
  // Unreadable messages were set aside without being subtracted.
  unit.change(usageItem.addressOf(queue), { add: { messages: -messages, bytes: -bytes } })
}

const giveUp = async (unit: UnitOfWork, connectionId: string, expired: Item[]): Promise<void> => {
  const now = Date.now()
  const messages: PickupMessage[] = []
  for (const item of await unit.getAll(expired.map(addressOf))) {
    const message = decodeIfSound(pickupMessage, item)
    if (message !== undefined) {
      messages.push(message)
      continue
    }
    for (const write of setAside(item, now))
      if ('put' in write) unit.create(write.put)
      else if ('remove' in write) unit.delete(write.remove)
    logCorrupt({ tenant: unit.tenant, connectionId, kind: pickupMessage.kind }, now)
  }
  await removeFromQueue(unit, connectionId, messages, { state: 'failed', lastError: NOT_FETCHED })
}
