/**
 * The outbox item (the waiting messages of one invocation to one connection), the item that records one that was given
 * up, and the delivery state of basic messages.
 */

import * as v from 'valibot'
import type { StoredDelivery } from '../../records/delivery.ts'
import { defineItem, type Stored } from '../../store/item.ts'
import { inKey, integer, isoTime, json, keyPart, optional, packed, text } from '../../store/item-fields.ts'
import { digest } from '../../store/keys.ts'
import { deliveryChange } from '../../store/stored-record.ts'
import { epochSeconds } from '../../store/table.ts'
import type { TableWrite } from '../../store/write.ts'
import { basicMessageAddress, lanesOf, messageLane, outcomeAddress } from '../wake-ups/index.ts'

/** One packed DIDComm message: `payload` is the JSON text of the envelope, as it is posted. */
const OutboxMessage = v.object({ endpoint: v.string(), payload: v.string() })
export type OutboxMessage = v.InferOutput<typeof OutboxMessage>

/**
 * The destination of an endpoint: its address, by its origin and a digest of its path and query, which may be long or
 * secret. For an endpoint that is not a URL it is `invalid`: the address guard rejects that.
 */
export const destinationAt = (endpoint = ''): string => {
  if (!URL.canParse(endpoint)) return 'invalid'
  const { origin, pathname, search } = new URL(endpoint)
  return `${origin}#${digest(pathname + search)}`
}

/** A basic message among the messages: the parts of its record's key. */
export const SentBasicMessage = v.object({ id: v.string(), createdAt: v.string() })
export type SentBasicMessage = v.InferOutput<typeof SentBasicMessage>

interface ItemKey {
  tenant: string
  connectionId: string
  did?: string | undefined
  /** Time-ordered. */
  id: string
}

const fields = {
  tenant: keyPart('pk', '|', 0),
  connectionId: keyPart('pk', '|', 2),
  /** The `did` of the lane: see `messageLane`. */
  did: optional(text()),
  id: inKey('sk', text()),
  /** Sent in this order. */
  messages: packed(v.array(OutboxMessage)),
  /** The basic messages whose delivery state is that of the item. */
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

/** It does not expire: it is delivered or given up, and its basic messages show which. */
export const outboxItem = defineItem(
  'outbox',
  ({ tenant, connectionId, did, id }: ItemKey) => ({ pk: messageLane(tenant, connectionId, did), sk: id }),
  fields,
  { ConnectionRecord: lanesOf },
)
export type OutboxItem = Stored<typeof outboxItem>

/** An item that was given up, stored for a redrive. */
export const outcomeItem = defineItem(
  'outbox-outcome',
  ({ tenant, connectionId, id }: ItemKey) => outcomeAddress(tenant, connectionId, id),
  { ...fields, endedAt: isoTime(), expiresAt: integer() },
  { ConnectionRecord: ({ tenant, id }) => [outcomeAddress(tenant, id, '').pk] },
)
export type Outcome = Stored<typeof outcomeItem>

/** Seconds for which an item that was given up is stored. */
const OUTCOME_EXPIRY_SECONDS = 14 * 24 * 60 * 60

/** The fields of an item that is given up at `now` (ms since the epoch). */
export const outcomeTimes = (now: number): Pick<Outcome, 'endedAt' | 'expiresAt'> => ({
  endedAt: new Date(now).toISOString(),
  expiresAt: epochSeconds(now) + OUTCOME_EXPIRY_SECONDS,
})

/** The delivery state that the API shows for an item that was given up. */
export const failedDelivery = ({ attempts, lastError, endedAt }: Outcome): StoredDelivery => ({
  ...{ state: 'failed', attempts, lastError, at: endedAt },
})

/**
 * The updates of the basic messages with a new delivery state, in the transaction that records it. A message that was
 * deleted meanwhile is skipped: an update would create it again, incomplete.
 */
export const deliveryUpdates = (
  { tenant, connectionId, basicMessages = [] }: Pick<OutboxItem, 'tenant' | 'connectionId' | 'basicMessages'>,
  delivery: StoredDelivery,
): Extract<TableWrite, { update: unknown }>[] =>
  basicMessages.map(({ id, createdAt }) => ({
    update: basicMessageAddress(tenant, connectionId, createdAt, id),
    change: deliveryChange(delivery),
    condition: { present: ['pk'] },
    orSkip: true,
  }))
