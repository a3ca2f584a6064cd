/** A webhook endpoint as its organization sees it: where it leads, how it is doing, and no secret. */
import * as v from 'valibot'
import { Timestamp } from './record-json.ts'
import type { RegistrationKind } from './registration.ts'
import { EntityId } from './tenant.ts'

const WEBHOOK_ENDPOINT_KINDS = ['notification', 'webhook'] as const satisfies RegistrationKind[]

/** `pending`: asked for without a token, delivers nothing. `failing`: the last attempt failed. `disabled`: nothing is sent to it. */
export const WEBHOOK_ENDPOINT_STATUSES = ['pending', 'active', 'failing', 'disabled'] as const

export const WebhookEndpoint = v.strictObject({
  id: v.string(),
  orgId: EntityId,
  kind: v.picklist(WEBHOOK_ENDPOINT_KINDS),
  url: v.string(),
  status: v.picklist(WEBHOOK_ENDPOINT_STATUSES),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  /** When a pending one is forgotten. */
  expiresAt: v.optional(Timestamp),
  /** The first failure since the last success. */
  failingSince: v.optional(Timestamp),
  lastSuccessAt: v.optional(Timestamp),
  lastFailureAt: v.optional(Timestamp),
  lastError: v.optional(v.string()),
  disabledAt: v.optional(Timestamp),
  disabledReason: v.optional(v.string()),
  /** Until then the secret before the last rotation signs too. */
  previousSecretUntil: v.optional(Timestamp),
})

export type WebhookEndpoint = v.InferOutput<typeof WebhookEndpoint>

export const RotatedWebhookEndpoint = v.strictObject({
  ...WebhookEndpoint.entries,
  /** Standard Webhooks' signing secret; shown this once. */
  secret: v.pipe(v.string(), v.startsWith('whsec_')),
})

export type RotatedWebhookEndpoint = v.InferOutput<typeof RotatedWebhookEndpoint>
