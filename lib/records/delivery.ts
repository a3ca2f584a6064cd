/** What has become of a message that was sent: shown in its record, and stored with its entry in the list of its connection. */
import * as v from 'valibot'
import { Timestamp } from './record-json.ts'

/** In the metadata of a sent message. */
export const DELIVERY = '_agent/delivery'

const DELIVERY_STATES = ['pending', 'waiting-for-pickup', 'delivered', 'failed'] as const

export const Delivery = v.object({
  /** `waiting-for-pickup`: the wallet has no endpoint, and fetches it. */
  state: v.picklist(DELIVERY_STATES),
  /** Finished attempts. */
  attempts: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Of the last failed attempt. */
  lastError: v.optional(v.string()),
  /** Of a pending message whose last attempt failed. */
  nextAttemptAt: v.optional(Timestamp),
  deliveredAt: v.optional(Timestamp),
})
export type Delivery = v.InferOutput<typeof Delivery>
