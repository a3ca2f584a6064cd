/** An attempt to deliver an event to a webhook endpoint, as its organization sees it. */
import * as v from 'valibot'
import { Timestamp } from './record-json.ts'

export const DELIVERY_STATUSES = ['delivered', 'failed'] as const

export const WebhookDelivery = v.strictObject({
  /** The `webhook-id` header of the request. */
  eventId: v.string(),
  type: v.string(),
  /** Starts at 1, also for a replay. */
  attempt: v.number(),
  startedAt: Timestamp,
  status: v.picklist(DELIVERY_STATUSES),
  /** HTTP status; absent if there was no response. */
  responseStatus: v.optional(v.number()),
  /** Reason why there was no response. */
  failure: v.optional(v.string()),
  milliseconds: v.number(),
  /** The first 1 KB of the response's body. */
  response: v.string(),
})

export type WebhookDelivery = v.InferOutput<typeof WebhookDelivery>
