/** An attempt to deliver an event to a webhook endpoint, as its organization sees it. */
import * as v from 'valibot'
import { Timestamp } from './record-json.ts'

export const DELIVERY_STATUSES = ['delivered', 'failed'] as const

export const WebhookDelivery = v.strictObject({
  /** The `webhook-id` that the receiver saw. */
  eventId: v.string(),
  type: v.string(),
  /** From 1; a replay counts anew. */
  attempt: v.number(),
  startedAt: Timestamp,
  status: v.picklist(DELIVERY_STATUSES),
  /** HTTP status of the response; absent where none came. */
  responseStatus: v.optional(v.number()),
  /** Why no response came. */
  failure: v.optional(v.string()),
  milliseconds: v.number(),
  /** The first 1 KB of the response's body. */
  response: v.string(),
})

export type WebhookDelivery = v.InferOutput<typeof WebhookDelivery>
