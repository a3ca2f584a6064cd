/**
 * The outbox item (the waiting messages of one invocation to one connection), the item that keeps their outcome, and
 * what lists show of it.
 */

import * as v from 'valibot'
import type { Delivery } from '../records/delivery.ts'
import type { Change } from '../store/conditions.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { inKey, integer, isoTime, json, optional, picklist, text } from '../store/item-fields.ts'
import { type Address, digest, messageEntryAddress, messageLane, outcomeAddress } from '../store/keys.ts'
import { deliveryAttributes } from '../store/stored-record.ts'

/** One packed DIDComm message: `payload` is the JSON text of the envelope, as it is posted. */
const OutboxMessage = v.object({ endpoint: v.string(), payload: v.string() })
export type OutboxMessage = v.InferOutput<typeof OutboxMessage>

/**
 * The destination of an endpoint: its address, by its origin and a digest of its path and query, which may be long or
 * secret. For an endpoint that is not a URL it is `invalid`: the address guard refuses to send to it.
 */
export const destinationAt = (endpoint = ''): string => {
  if (!URL.canParse(endpoint)) return 'invalid'
  const { origin, pathname, search } = new URL(endpoint)
  return `${origin}#${digest(pathname + search)}`
}

/**
 * A basic message among the messages: its record as the API shows it, or only its ids if the record is too large for an
 * event.
 */
export const SentBasicMessage = v.object({
  record: v.looseObject({ id: v.string() }),
  truncated: v.optional(v.literal(true)),
  /** Creation time of a record that is not given in full: it is part of the key of the record's index entry. */
  createdAt: v.optional(v.string()),
})
export type SentBasicMessage = v.InferOutput<typeof SentBasicMessage>

interface ItemKey {
  tenant: string
  connectionId: string
  did?: string | undefined
  /** Time-ordered. */
  id: string
}

const fields = {
  tenant: text(),
  connectionId: text(),
  /** Of the lane: see `messageLane`. */
  did: optional(text()),
  id: inKey('sk', text()),
  /** Sent in this order. */
  messages: json(v.array(OutboxMessage)),
  /** The basic messages whose events report the item's outcome. */
  basicMessages: optional(json(v.array(SentBasicMessage))),
  /** Number of messages that the wallet has accepted. */
  taken: integer(),
  /** Finished attempts. */
  attempts: integer(),
  lastError: optional(text()),
  createdAt: isoTime(),
  /** Start of the retry plan of a redriven item. */
  pendingSince: optional(isoTime()),
}

/** It has no expiry: it is either delivered or given up, and both are recorded. */
export const outboxItem = defineItem(
  'outbox',
  ({ tenant, connectionId, did, id }: ItemKey) => ({ pk: messageLane(tenant, connectionId, did), sk: id }),
  fields,
)
export type OutboxItem = Stored<typeof outboxItem>

/** The packed messages of a delivered item are deleted; those of an item that was given up are kept for a redrive. */
export const outcomeItem = defineItem(
  'outbox-outcome',
  ({ tenant, connectionId, id }: ItemKey) => outcomeAddress(tenant, connectionId, id),
  { ...fields, state: picklist(['delivered', 'failed']), endedAt: text(), expiresAt: integer() },
)
export type Outcome = Stored<typeof outcomeItem>

/** The same for the sender of the message. */
export const deliveryOf = ({ state, attempts, lastError, endedAt }: Outcome): Delivery => ({
  ...{ state, attempts },
  ...(state === 'delivered' ? { deliveredAt: endedAt } : lastError !== undefined && { lastError }),
})

interface Sent {
  tenant: string
  connectionId: string
  basicMessages?: SentBasicMessage[] | undefined
}

/**
 * The changes that show a delivery in the entries of the connection's list of messages, which then needs no other read.
 * They are part of the transaction that records the delivery. They have no condition: if the record was deleted, an
 * entry remains that no list shows, and the message is delivered all the same.
 */
export const deliveryUpdates = (
  { tenant, connectionId, basicMessages = [] }: Sent,
  delivery: Delivery,
): { update: Address; change: Change }[] => {
  const change = { set: deliveryAttributes(delivery) }
  return basicMessages.flatMap(({ record, createdAt = record.createdAt }) =>
    typeof createdAt === 'string'
      ? [{ update: messageEntryAddress(tenant, connectionId, createdAt, record.id), change }]
      : [],
  )
}
