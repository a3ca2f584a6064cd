/** What waits until a wallet without an endpoint fetches it: the queue of a connection, its messages, and how much of that an agent has. */
import * as v from 'valibot'
import { SentBasicMessage } from '../outbox/message-item.ts'
import { defineItem, type Stored } from '../store/item.ts'
import { inKey, integer, isoTime, json, optional, text } from '../store/item-fields.ts'
import { pickupMessageAddress, pickupQueueAddress, pickupUsageAddress } from '../store/pickup-keys.ts'

/** It is there as long as the job that looks for what has waited too long (expiry-job.ts). */
export const queueItem = defineItem('pickup-queue', pickupQueueAddress, {
  tenant: text(),
  connectionId: text(),
  /** How many wait, and their bytes. */
  messages: integer(),
  bytes: integer(),
})
export type Queue = Stored<typeof queueItem>

/** One packed message. It has no expiry: it is fetched or given up, and either is recorded. */
export const pickupMessage = defineItem('pickup-message', pickupMessageAddress, {
  tenant: text(),
  connectionId: text(),
  /** Time-ordered. */
  id: inKey('sk', text()),
  /** JSON text of the envelope. */
  payload: text(),
  /** The did:keys that it is packed for. */
  recipients: json(v.array(v.string())),
  basicMessages: optional(json(v.array(SentBasicMessage))),
  createdAt: isoTime(),
})
export type PickupMessage = Stored<typeof pickupMessage>

export const usageItem = defineItem('pickup-usage', pickupUsageAddress, { messages: integer(), bytes: integer() })

export const bytesOf = ({ payload }: PickupMessage): number => Buffer.byteLength(payload)
