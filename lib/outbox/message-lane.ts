/** The lanes of messages to wallets: how the messages of a connection are read, sent and recorded. */

import { Bounded } from '../bounded.ts'
import { describeOutcome, isSuccess, type Post, type PostOutcome, post } from '../egress/post.ts'
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import { tryDecode } from '../store/item.ts'
import { setAside, setAsideKey } from '../store/set-aside.ts'
import { type Item, queryPage } from '../store/table.ts'
import type { TableWrite } from '../store/write.ts'
import { readWithDestination } from './destinations/index.ts'
import { type Attempt, type CorruptItem, type LaneContents, MESSAGE_PLAN } from './lanes/index.ts'
import {
  deliveryUpdates,
  destinationAt,
  failedDelivery,
  type OutboxItem,
  type Outcome,
  outboxItem,
  outcomeItem,
  outcomeTimes,
} from './messages/index.ts'
import { committedId, type FirstItem, messageLaneOf, WAITING_ITEMS_END } from './wake-ups/index.ts'

/** The media type of envelopes over HTTP: Aries RFC 0025, "HTTP(S)"; RFC 0044. */
export const ENVELOPE_TYPE = 'application/didcomm-envelope-enc'

/** Items in one read: an item may have hundreds of KB. */
const PAGE_SIZE = 10

/** Items that this process has delivered, by the deduplication ids of their wake-ups. */
const recentlyDelivered = new Bounded<string, true>(10_000)

/**
 * Whether this process has delivered the item of a wake-up. One delivery sends all items of its lane, so the wake-ups
 * of the later items have nothing to do: this saves the three requests that would find that out.
 */
export const isDelivered = (deduplicationId: string): boolean => recentlyDelivered.get(deduplicationId) === true

/** For tests: another resolver, shorter limits. */
export type Transport = Pick<Post, 'limits' | 'resolve' | 'authorities'>

/** One message of an item. The messages before it were delivered. */
interface WaitingMessage {
  item: OutboxItem
  index: number
}

/**
 * The contents of a message lane; undefined for the name of any other lane. `first`: the item to begin with, if it was
 * alone. `removed`: the agent was removed, and nothing is sent any more.
 */
export const messageLaneContents = (
  lane: string,
  {
    transport = {},
    first,
    removed = false,
  }: { transport?: Transport; first?: FirstItem | undefined; removed?: boolean } = {},
): LaneContents<WaitingMessage> | undefined => {
  const key = messageLaneOf(lane)
  if (key === undefined) return undefined
  const { tenant, connectionId } = key
  let firstItem = first
  return {
    plan: MESSAGE_PLAN,
    metrics: { delivered: 'MessagesDelivered', givenUp: 'MessagesGivenUp' },
    party: tenant,
    read: async (now) => {
      const item = await readFirst(lane, firstItem, now)
      // The next call reads the items behind it.
      firstItem = undefined
      if (item !== undefined) return { items: messagesOf(item), more: false, corrupt: [] }
      const { items, next } = await queryPage(lane, { limit: PAGE_SIZE, to: WAITING_ITEMS_END })
      const read = items.map((item) => tryDecode(outboxItem, item))
      return {
        items: read.filter((item) => item !== undefined).flatMap(messagesOf),
        more: next !== undefined,
        corrupt: items.filter((_, index) => read[index] === undefined).map((item) => corruptMessage(key, item, now)),
      }
    },
    idOf: ({ item }) => item.id,
    giveUpAt: ({ item }) => Date.parse(item.pendingSince ?? item.createdAt) + MESSAGE_PLAN.lifetime,
    destinationOf: ({ item, index }) => destinationAt(item.messages[index]?.endpoint),
    endWithoutSending: ({ item, index }) => {
      if (!removed) return undefined
      return index < item.messages.length - 1 ? [] : [removal(item)]
    },
    send: (waiting) => send(waiting, transport),
    delivered: ({ item, index }, { endedAt }) =>
      index < item.messages.length - 1 ? [itemUpdate(item, { taken: index + 1 })] : deliveredWrites(item, endedAt),
    failed: ({ item }, attempt, next) =>
      failedWrites({ ...item, ...attemptFields(item, attempt) }, attempt.endedAt, next),
    afterAttempt: async ({ item, index }, { outcome }) => {
      if (isSuccess(outcome) && index === item.messages.length - 1)
        recentlyDelivered.set(committedId(lane, item.id), true)
    },
    givenUp: ({ item }, now, attempt) =>
      givenUpWrites(attempt === undefined ? item : { ...item, ...attemptFields(item, attempt) }, now),
    about: ({ item }) => ({ tenant, connectionId, outboxId: item.id }),
  }
}

const messagesOf = (item: OutboxItem): WaitingMessage[] =>
  item.messages.map((_, index) => ({ item, index })).slice(item.taken)

const CORRUPT = 'the stored item is corrupt'

/** An unreadable message has failed. Its readable attributes are used to record that. */
const corruptMessage = (key: { tenant: string; connectionId: string }, item: Item, now: number): CorruptItem => {
  const id = item.sk?.S ?? ''
  const part = <K extends 'basicMessages' | 'createdAt' | 'attempts'>(name: K) =>
    tryDecode({ decode: (image) => outboxItem.decodePart(image, [name]) }, item)?.[name]
  const outcome: Outcome = {
    ...{ ...key, id, messages: [], taken: 0, lastError: CORRUPT },
    basicMessages: part('basicMessages'),
    attempts: part('attempts') ?? 0,
    createdAt: part('createdAt') ?? new Date(now).toISOString(),
    ...outcomeTimes(now),
  }
  return {
    writes: [...setAside(item, now), ...outcomeWrites(outcome)],
    about: { ...key, outboxId: id, movedTo: setAsideKey(item) },
  }
}

/**
 * Reads the item to begin with and its destination in one request; undefined if the destination is known already, or
 * the item can't be read. All other waiting items were committed at the same time or later, and have their own
 * wake-ups.
 */
const readFirst = async (lane: string, first: FirstItem | undefined, now: number): Promise<OutboxItem | undefined> => {
  const item = first && (await readWithDestination(first.destination, now, { pk: lane, sk: first.id }))
  return item && tryDecode(outboxItem, item)
}

const send = async ({ item, index }: WaitingMessage, transport: Transport): Promise<PostOutcome> => {
  const { endpoint = '', payload = '' } = item.messages[index] ?? {}
  const outcome = await post({
    url: endpoint,
    headers: { 'content-type': ENVELOPE_TYPE },
    body: payload,
    policy: { local: settings().LOCAL_STAGE },
    ...transport,
  })
  // A wallet may put a reply into the response (return route). It was not asked for, so it is dropped.
  if (outcome.body !== '')
    log('debug', 'response body of a wallet dropped', {
      event: 'outbox.response_dropped',
      outboxId: item.id,
      characters: outcome.body.length,
    })
  return outcome
}

const attemptFields = ({ attempts }: OutboxItem, { outcome }: Attempt) => ({
  attempts: attempts + 1,
  lastError: describeOutcome(outcome),
})

/** The item stays in the lane until its next attempt. */
const failedWrites = (item: OutboxItem, endedAt: number, nextAttemptAt: number): TableWrite[] => {
  const { attempts, lastError } = item
  const delivery = {
    state: 'pending',
    attempts,
    lastError,
    nextAttemptAt: new Date(nextAttemptAt).toISOString(),
    at: new Date(endedAt).toISOString(),
  } as const
  return [itemUpdate(item, { attempts, lastError }), ...deliveryUpdates(item, delivery)]
}

const itemUpdate = (item: OutboxItem, change: Partial<OutboxItem>): TableWrite => ({
  update: outboxItem.addressOf(item),
  change: { set: outboxItem.attributes(change) },
  condition: { present: ['pk'] },
})

/** Removes the item from its lane. */
const removal = (item: OutboxItem): TableWrite => ({
  remove: outboxItem.addressOf(item),
  condition: { present: ['pk'] },
})

const deliveredWrites = (item: OutboxItem, endedAt: number): TableWrite[] => {
  const at = new Date(endedAt).toISOString()
  const delivery = { state: 'delivered', attempts: item.attempts + 1, deliveredAt: at, at } as const
  return [removal(item), ...deliveryUpdates(item, delivery)]
}

const givenUpWrites = (item: OutboxItem, now: number): TableWrite[] => [
  removal(item),
  ...outcomeWrites({ ...item, ...outcomeTimes(now) }),
]

const outcomeWrites = (outcome: Outcome): TableWrite[] => [
  { put: outcomeItem.encode(outcome) },
  ...deliveryUpdates(outcome, failedDelivery(outcome)),
]
