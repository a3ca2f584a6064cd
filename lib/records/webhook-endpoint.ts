/** A webhook endpoint as its organization sees it: URL, status and health, but no secret. */
import * as v from 'valibot'
import { Timestamp } from './record-json.ts'
import { EntityId } from './tenant.ts'
import { ENDPOINT_KINDS } from './webhook-event.ts'

/**
 * `pending`: registered without a token, no events. `failing`: the last attempt failed. `disabled`: no events.
 */
const WEBHOOK_ENDPOINT_STATUSES = ['pending', 'active', 'failing', 'disabled'] as const

export const WebhookEndpoint = v.strictObject({
  id: v.string(),
  orgId: EntityId,
  kind: v.picklist(ENDPOINT_KINDS),
  url: v.string(),
  status: v.picklist(WEBHOOK_ENDPOINT_STATUSES),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** Expiry of a pending endpoint. */
  expiresAt: v.optional(Timestamp),
  /** Time of the first failure since the last success. */
  failingSince: v.optional(Timestamp),
  lastSuccessAt: v.optional(Timestamp),
  lastFailureAt: v.optional(Timestamp),
  lastError: v.optional(v.string()),
  disabledAt: v.optional(Timestamp),
  disabledReason: v.optional(v.string()),
  /** Until this time the previous secret signs as well. */
  previousSecretUntil: v.optional(Timestamp),
})

export type WebhookEndpoint = v.InferOutput<typeof WebhookEndpoint>

export const RotatedWebhookEndpoint = v.strictObject({
  ...WebhookEndpoint.entries,
  /** Signing secret (Standard Webhooks); no other response shows it. */
  secret: v.pipe(v.string(), v.startsWith('whsec_')),
})

export type RotatedWebhookEndpoint = v.InferOutput<typeof RotatedWebhookEndpoint>
