/**
 * The lanes of messages to wallets: the waiting messages of a connection in order, and the writes that record an
 * attempt.
 */

import { Bounded } from '../bounded.ts'
import { describeOutcome, isTaken, type Post, type PostOutcome, post } from '../egress/post.ts'
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import { decodeIfSound } from '../store/item.ts'
import { setAside, setAsideKey } from '../store/set-aside.ts'
import { type Item, queryPage } from '../store/table.ts'
import type { TableWrite } from '../store/write.ts'
import { readWithDestination } from './destinations/index.ts'
import { type Attempt, type CorruptItem, type LaneContents, MESSAGE_PLAN } from './lanes/index.ts'
import {
  deliveryUpdates,
  destinationAt,
  failedAt,
  failedDelivery,
  type OutboxItem,
  type Outcome,
  outboxItem,
  outcomeItem,
} from './messages/index.ts'
import { committedId, type FirstItem, LAST_WAITING, messageLaneOf } from './wake-ups/index.ts'

/** The media type of envelopes over HTTP: Aries RFC 0025, "HTTP(S)"; RFC 0044. */
const ENVELOPE_TYPE = 'application/didcomm-envelope-enc'

/** Items read at once: one may have hundreds of KB. */
const READ = 10

/** Items that this process has delivered, by the deduplication ids of their wake-ups. */
const deliveredHere = new Bounded<string, true>(10_000)

/**
 * Whether this process has delivered the item of a wake-up. A delivery takes all items of its lane, and each wake-up of
 * those would make three requests to find that there is nothing to do.
 */
export const isDelivered = (deduplicationId: string): boolean => deliveredHere.get(deduplicationId) === true

/** For tests: another resolver, shorter limits. */
export type Transport = Pick<Post, 'limits' | 'resolve' | 'authorities'>

/** One message of an item. Those before it were delivered. */
interface Waiting {
  item: OutboxItem
  index: number
}

/**
 * The contents of a message lane; undefined for the name of any other lane. `first`: the item to begin with, if no
 * other was waiting before it.
 */
export const openMessageLane = (
  lane: string,
  { transport = {}, first }: { transport?: Transport; first?: FirstItem | undefined } = {},
): LaneContents<Waiting> | undefined => {
  const key = messageLaneOf(lane)
  if (key === undefined) return undefined
  const { tenant, connectionId } = key
  let begins = first
  return {
    plan: MESSAGE_PLAN,
    metrics: { delivered: 'MessagesDelivered', givenUp: 'MessagesGivenUp' },
    party: tenant,
    read: async (now) => {
      const item = await readFirst(lane, begins, now)
      // After it the others follow: it has been delivered, or its lane waits.
      begins = undefined
      if (item !== undefined) return { items: messagesOf(item), more: false, corrupt: [] }
      const { items, next } = await queryPage(lane, { limit: READ, to: LAST_WAITING })
      const read = items.map((item) => decodeIfSound(outboxItem, item))
      return {
        items: read.filter((item) => item !== undefined).flatMap(messagesOf),
        more: next !== undefined,
        corrupt: items.filter((_, index) => read[index] === undefined).map((item) => corruptMessage(key, item, now)),
      }
    },
    idOf: ({ item }) => item.id,
    giveUpAt: ({ item }) => Date.parse(item.pendingSince ?? item.createdAt) + MESSAGE_PLAN.lifetime,
    destinationOf: ({ item, index }) => destinationAt(item.messages[index]?.endpoint),
    endWithoutSending: () => undefined,
    send: (waiting) => send(waiting, transport),
    delivered: ({ item, index }, { endedAt }) =>
      index < item.messages.length - 1 ? [changed(item, { taken: index + 1 })] : delivered(item, endedAt),
    failed: ({ item }, attempt, next) => failed({ ...item, ...attempted(item, attempt) }, attempt.endedAt, next),
    afterAttempt: async ({ item, index }, { outcome }) => {
      if (isTaken(outcome) && index === item.messages.length - 1) deliveredHere.set(committedId(lane, item.id), true)
    },
    givenUp: ({ item }, now, attempt) =>
      givenUp(attempt === undefined ? item : { ...item, ...attempted(item, attempt) }, now),
    about: ({ item }) => ({ tenant, connectionId, outboxId: item.id }),
  }
}

const messagesOf = (item: OutboxItem): Waiting[] => item.messages.map((_, index) => ({ item, index })).slice(item.taken)

const CORRUPT = 'the stored item is corrupt'

/** A message that cannot be read has failed. Its readable parts are used to report that. */
const corruptMessage = (key: { tenant: string; connectionId: string }, item: Item, now: number): CorruptItem => {
  const id = item.sk?.S ?? ''
  const part = <K extends 'basicMessages' | 'createdAt' | 'attempts'>(name: K) =>
    decodeIfSound({ decode: (image) => outboxItem.decodePart(image, [name]) }, item)?.[name]
  const outcome: Outcome = {
    ...{ ...key, id, messages: [], taken: 0, lastError: CORRUPT },
    basicMessages: part('basicMessages'),
    attempts: part('attempts') ?? 0,
    createdAt: part('createdAt') ?? new Date(now).toISOString(),
    ...failedAt(now),
  }
  return {
    writes: [...setAside(item, now), ...outcomeWrites(outcome)],
    about: { ...key, outboxId: id, movedTo: setAsideKey(item) },
  }
}

/**
 * Reads the item to begin with and its destination in one request; undefined if the destination is known already, or
 * the item can't be read. All other waiting items were committed at the same time or later, and have wake-ups of their
 * own, which find the lane leased, or free again.
 */
const readFirst = async (lane: string, first: FirstItem | undefined, now: number): Promise<OutboxItem | undefined> => {
  const item = first && (await readWithDestination(first.destination, now, { pk: lane, sk: first.id }))
  return item && decodeIfSound(outboxItem, item)
}

const send = async ({ item, index }: Waiting, transport: Transport): Promise<PostOutcome> => {
  const { endpoint = '', payload = '' } = item.messages[index] ?? {}
  const outcome = await post({
    url: endpoint,
    headers: { 'content-type': ENVELOPE_TYPE },
    body: payload,
    policy: { local: settings().LOCAL_STAGE },
    ...transport,
  })
  // A wallet may answer in the response (return route). Nobody waits for that here; it is read to a bound and dropped.
  if (outcome.body !== '')
    log('debug', 'the response of a wallet is dropped', {
      event: 'outbox.response_dropped',
      outboxId: item.id,
      characters: outcome.body.length,
    })
  return outcome
}

const attempted = ({ attempts }: OutboxItem, { outcome }: Attempt) => ({
  attempts: attempts + 1,
  lastError: describeOutcome(outcome),
})

/** The item still waits. */
const failed = (item: OutboxItem, endedAt: number, nextAttemptAt: number): TableWrite[] => {
  const { attempts, lastError } = item
  const delivery = {
    state: 'pending',
    attempts,
    lastError,
    nextAttemptAt: new Date(nextAttemptAt).toISOString(),
    at: new Date(endedAt).toISOString(),
  } as const
  return [changed(item, { attempts, lastError }), ...deliveryUpdates(item, delivery)]
}

const changed = (item: OutboxItem, change: Partial<OutboxItem>): TableWrite => ({
  update: outboxItem.addressOf(item),
  change: { set: outboxItem.attributes(change) },
  condition: { present: ['pk'] },
})

/** The item leaves the lane. */
const removal = (item: OutboxItem): TableWrite => ({
  remove: outboxItem.addressOf(item),
  condition: { present: ['pk'] },
})

const delivered = (item: OutboxItem, endedAt: number): TableWrite[] => {
  const at = new Date(endedAt).toISOString()
  const delivery = { state: 'delivered', attempts: item.attempts + 1, deliveredAt: at, at } as const
  return [removal(item), ...deliveryUpdates(item, delivery)]
}

const givenUp = (item: OutboxItem, now: number): TableWrite[] => [
  removal(item),
  ...outcomeWrites({ ...item, ...failedAt(now) }),
]

const outcomeWrites = (outcome: Outcome): TableWrite[] => [
  { put: outcomeItem.encode(outcome) },
  ...deliveryUpdates(outcome, failedDelivery(outcome)),
]
