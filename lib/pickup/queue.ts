/**
 * Pickup queues on the unit of work: messages are added, handed out and removed in the transaction of the operation.
 */

import { AgentError } from '../errors.ts'
import { dueJob, enqueue, type JobKey, jobItem } from '../jobs/job.ts'
import {
  deliveryUpdates,
  failedDelivery,
  newOutboxId,
  outcomeItem,
  outcomeTimes,
  type SentBasicMessage,
  timeOfId,
} from '../outbox/messages/index.ts'
import { WAITING_ITEMS_END } from '../outbox/wake-ups/index.ts'
import type { StoredDelivery } from '../records/delivery.ts'
import type { Condition } from '../store/conditions.ts'
import { tryDecode } from '../store/item.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type Amount, BATCH, DAY, difference, exceededLimit, NOTHING, QUEUE, sum } from './bounds.ts'
import {
  listedQueue,
  type PickupMessage,
  pickupMessage,
  pickupPartition,
  type Queue,
  type QueueKey,
  queueItem,
  usageItem,
} from './pickup-item.ts'
import { addToUsage } from './usage.ts'

/** A queue as this unit has read it, with its changes. */
interface TrackedQueue {
  stored: Queue | undefined
  /** Usage of the connection's share of the agent's queues. */
  share: Amount
  added: PickupMessage[]
  removed: PickupMessage[]
}

const QUEUES = Symbol('pickup queues')

const bytesOf = ({ payload }: PickupMessage): number => Buffer.byteLength(payload)

const sumOf = (messages: PickupMessage[]): Amount => ({
  messages: messages.length,
  bytes: messages.reduce((sum, message) => sum + bytesOf(message), 0),
})

const changeOf = ({ added, removed }: TrackedQueue): Amount => difference(sumOf(added), sumOf(removed))

/** The queue of a connection, read once for each unit. */
const track = (unit: UnitOfWork, connectionId: string): Promise<TrackedQueue> => {
  const queues = unit.moduleState(QUEUES, () => new Map<string, Promise<TrackedQueue>>())
  const tracked = queues.get(connectionId) ?? read(unit, connectionId)
  queues.set(connectionId, tracked)
  return tracked
}

const read = async (unit: UnitOfWork, connectionId: string): Promise<TrackedQueue> => {
  const key = { tenant: unit.tenant, connectionId }
  const items = await unit.getAll([queueItem.addressOf(key), usageItem.addressOf(key)])
  const [queue] = items.filter(queueItem.is)
  const [usage] = items.filter(usageItem.is)
  const tracked: TrackedQueue = {
    stored: queue && queueItem.decode(queue),
    share: usage === undefined ? NOTHING : usageItem.decode(usage),
    added: [],
    removed: [],
  }
  unit.beforeCommit(() => write(unit, connectionId, tracked))
  return tracked
}

/** The number of waiting messages. */
export const countWaiting = async (unit: UnitOfWork, connectionId: string): Promise<number> => {
  const tracked = await track(unit, connectionId)
  return sum(tracked.stored ?? NOTHING, changeOf(tracked)).messages
}

interface NewMessage {
  payload: string
  recipients: string[]
  /** Whether it replies to a message of the wallet: wallets must not fill the queue with replies. */
  isReply: boolean
}

/** Adds a message at the end of a queue. Throws `connection.queue_full`, `store.unavailable`. */
export const addToQueue = async (
  unit: UnitOfWork,
  connectionId: string,
  message: NewMessage,
): Promise<PickupMessage> => {
  const { payload, recipients, isReply: answers } = message
  const [tracked, lastId] = await Promise.all([track(unit, connectionId), readLastId(unit, connectionId)])
  const now = Date.now()
  // Greater than the ids of all waiting messages, even if clocks differ.
  const id = newOutboxId(Math.max(now, timeOfId(lastId) + 1))
  const added: PickupMessage = {
    ...{ tenant: unit.tenant, connectionId, id, payload, recipients },
    createdAt: new Date(now).toISOString(),
  }
  const full = exceededLimit(sumOf([added]), {
    queue: sum(tracked.stored ?? NOTHING, changeOf(tracked)),
    // Usage is counted after commits, so the messages of this unit are not included.
    share: tracked.share,
    answers,
  })
  if (full !== undefined) throw new AgentError('connection.queue_full', FULL[full])
  tracked.added.push(added)
  return added
}

const readLastId = async (unit: UnitOfWork, connectionId: string): Promise<string | undefined> => {
  const partition = pickupPartition({ tenant: unit.tenant, connectionId })
  const { items } = await unit.query(partition, { to: WAITING_ITEMS_END, limit: 1, descending: true })
  return items[0]?.sk?.S
}

const FULL = {
  queue: 'the other agent has no endpoint, and too many messages wait until it fetches them',
  agent: 'too many messages wait for agents without an endpoint',
}

/** Records the basic message of a queued message, which shows the delivery state. */
export const recordQueued = (added: PickupMessage, message: SentBasicMessage): void => {
  added.basicMessages = [message]
}

/** Selects messages of a queue. */
interface Selection {
  /** Maximum number of messages. */
  limit?: number | undefined
  /** A did:key: only messages that are packed for it. */
  recipient?: string | undefined
  /** Only as many as fit in a batch. A single message always fits: an item has at most 400 KB. */
  batch?: true
}

/** Additional messages to read: unreadable ones, which the queue's job sets aside later, must not block the others. */
const UNREADABLE_RESERVE = 3

/** The first waiting messages, oldest first, from one read of the table. They stay in the queue. */
export const firstWaiting = async (
  unit: UnitOfWork,
  connectionId: string,
  { limit = BATCH.messages, recipient, batch }: Selection,
): Promise<PickupMessage[]> => {
  const maxCount = batch === true ? Math.min(limit, BATCH.messages) : undefined
  // Messages for a key may be anywhere in the queue, so a whole page (1 MB) is read.
  const { items } = await unit.query(pickupPartition({ tenant: unit.tenant, connectionId }), {
    to: WAITING_ITEMS_END,
    ...(recipient === undefined && maxCount !== undefined && { limit: maxCount + UNREADABLE_RESERVE }),
  })
  const waiting = items
    .map((item) => tryDecode(pickupMessage, item))
    .filter((message) => message !== undefined)
    .filter(({ recipients }) => recipient === undefined || recipients.includes(recipient))
    .slice(0, maxCount)
  if (batch === undefined) return waiting
  const sizes = waiting.map(bytesOf)
  return waiting.filter((_, index) => sizes.slice(0, index + 1).reduce((a, b) => a + b, 0) <= BATCH.bytes)
}

/**
 * The messages with these ids that are in the connection's queue. Unknown ids are left out, and so are ids beyond the
 * size of a batch.
 */
export const findWaiting = async (
  unit: UnitOfWork,
  connectionId: string,
  ids: readonly string[],
): Promise<PickupMessage[]> => {
  const chosen = [...new Set(ids)].slice(0, BATCH.messages)
  const key = { tenant: unit.tenant, connectionId }
  const items = await unit.getAll(chosen.map((id) => pickupMessage.addressOf({ ...key, id })))
  return items.map((item) => tryDecode(pickupMessage, item)).filter((message) => message !== undefined)
}

/** Outcome of a message that leaves its queue. */
type End = { state: 'delivered' } | { state: 'failed'; lastError: string }

/** Removes messages from a queue. Their basic messages show the outcome; for failed ones it is also stored. */
export const removeFromQueue = async (
  unit: UnitOfWork,
  connectionId: string,
  messages: PickupMessage[],
  end: End,
): Promise<void> => {
  const tracked = await track(unit, connectionId)
  const now = Date.now()
  for (const message of messages) {
    tracked.removed.push(message)
    unit.delete(pickupMessage.addressOf(message), pickupMessage.attributes({ createdAt: message.createdAt }))
    const delivery = end.state === 'delivered' ? deliveredAt(now) : giveUp(unit, message, end.lastError, now)
    for (const { update, change, condition, orSkip } of deliveryUpdates(message, delivery))
      unit.change(update, change, condition, orSkip)
  }
}

const deliveredAt = (now: number): StoredDelivery => {
  const at = new Date(now).toISOString()
  return { state: 'delivered', attempts: 1, deliveredAt: at, at }
}

const giveUp = (unit: UnitOfWork, message: PickupMessage, lastError: string, now: number): StoredDelivery => {
  const outcome = {
    ...message,
    ...{ messages: [], taken: 0, attempts: 0, lastError },
    ...outcomeTimes(now),
  }
  unit.create(outcomeItem.encode(outcome))
  return failedDelivery(outcome)
}

/** Concurrent messages do not conflict as long as all fit. */
const roomFor = ({ messages, bytes }: Amount): Condition => ({
  present: ['pk'],
  ...(messages > 0 && {
    atMost: queueItem.attributes({ messages: QUEUE.messages - messages, bytes: QUEUE.bytes - bytes }),
  }),
})

/** Writes this unit's changes of a queue. */
const write = (unit: UnitOfWork, connectionId: string, tracked: TrackedQueue): void => {
  const { stored, added, removed } = tracked
  if (added.length + removed.length === 0) return
  const key = { tenant: unit.tenant, connectionId }
  const change = changeOf(tracked)
  for (const message of added) unit.create(pickupMessage.encode(message))
  if (stored === undefined) {
    unit.create(queueItem.encode({ ...key, ...change }))
    enqueue(unit, jobOf(key), DAY)
    listQueue(unit, key)
  } else unit.change(queueItem.addressOf(key), { add: change }, roomFor(change))
  addToUsage(unit, key, change)
}

const jobOf = ({ tenant, connectionId: id }: QueueKey): JobKey => ({ tenant, type: 'pickup-expiry', id })

/** Lists a queue in its share, so that the share can be counted. */
const listQueue = (unit: UnitOfWork, key: QueueKey): void =>
  unit.change(listedQueue.addressOf(key), { set: { kind: { S: listedQueue.kind } } })

/** Makes the job of a queue due now, if there is one: the connection is deleted, and the job gives up its messages. */
export const emptyByJob = async (unit: UnitOfWork, connectionId: string): Promise<void> => {
  const key = { tenant: unit.tenant, connectionId }
  if ((await unit.load(queueItem, key)) === undefined) return
  const job = jobOf(key)
  // Without the lease: a run that has read the connection must not postpone the job.
  const change = { set: jobItem.attributes(dueJob(job, Date.now())), remove: ['lease'] }
  unit.change(jobItem.addressOf(job), change, { present: ['pk'] })
}
