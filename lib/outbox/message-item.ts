/** The outbox item: the messages of one invocation to one connection, while they wait; and the item that keeps what became of them. */
import * as v from 'valibot'
import type { Delivery } from '../records/basic-message.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { inKey, integer, isoTime, json, optional, picklist, text } from '../store/item-fields.ts'
import { messageLane, outcomeAddress } from '../store/keys.ts'

/** One packed DIDComm message: `payload` is the JSON text of the envelope, as it is posted. */
const OutboxMessage = v.object({ endpoint: v.string(), payload: v.string() })
export type OutboxMessage = v.InferOutput<typeof OutboxMessage>

/** What can be down of an endpoint: its origin. What is not a URL is refused by the guard when it is sent, and is nobody's fault but its own. */
export const destinationAt = (endpoint = ''): string => (URL.canParse(endpoint) ? new URL(endpoint).origin : 'invalid')

/** A basic message among them: its record as the API shows it, or only the ids of one that is too large for an event. */
export const SentBasicMessage = v.object({
  record: v.looseObject({ id: v.string() }),
  truncated: v.optional(v.literal(true)),
  /** Of its record, where that is not given in full: the entry in the list of messages is found by it. */
  createdAt: v.optional(v.string()),
})
export type SentBasicMessage = v.InferOutput<typeof SentBasicMessage>

interface ItemKey {
  tenant: string
  connectionId: string
  /** Time-ordered. */
  id: string
}

const fields = {
  tenant: text(),
  connectionId: text(),
  id: inKey('sk', text()),
  /** Sent in this order. */
  messages: json(v.array(OutboxMessage)),
  /** What becomes of the item are events of these. */
  basicMessages: optional(json(v.array(SentBasicMessage))),
  /** How many of the messages the wallet has taken. */
  taken: integer(),
  /** Finished attempts. */
  attempts: integer(),
  lastError: optional(text()),
  createdAt: isoTime(),
  /** Of one that was redriven: since then counts its retry plan. */
  pendingSince: optional(isoTime()),
}

/** It has no expiry: what waits is delivered or given up, and either is recorded. */
export const outboxItem = defineItem(
  'outbox',
  ({ tenant, connectionId, id }: ItemKey) => ({ pk: messageLane(tenant, connectionId), sk: id }),
  fields,
)
export type OutboxItem = Stored<typeof outboxItem>

/** Of what was delivered the packed messages are gone; of what was given up they are kept for a redrive. */
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
