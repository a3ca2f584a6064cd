/** The webhook registration of an organization, and the response of the operations that register it. */
import * as v from 'valibot'
import { Timestamp } from './record-json.ts'
import { EntityId } from './tenant.ts'
import type { EndpointKind } from './webhook-event.ts'

/** A pending registration was requested without a token. Nothing is delivered to it. */
const REGISTRATION_STATUSES = ['active', 'pending'] as const
type RegistrationStatus = (typeof REGISTRATION_STATUSES)[number]

export interface Registration {
  id: string
  orgId: string
  kind: EndpointKind
  url: string
  status: RegistrationStatus
  /** ISO 8601. */
  createdAt: string
  updatedAt: string
}

/**
 * Schema of that response: the four fields of the interface document, and the registration with its URL under the name
 * of its kind.
 */
const registrationResult = <const Url extends v.ObjectEntries>(url: Url) =>
  v.strictObject({
    statusCode: v.literal(201),
    success: v.literal(true),
    message: v.string(),
    data: v.strictObject({
      id: v.string(),
      orgId: EntityId,
      status: v.picklist(REGISTRATION_STATUSES),
      /** Signing secret (Standard Webhooks), returned only by the call that creates it. */
      secret: v.optional(v.pipe(v.string(), v.startsWith('whsec_'))),
      createdAt: Timestamp,
      updatedAt: Timestamp,
      ...url,
    }),
  })

export const NotificationRegistrationResult = registrationResult({ notificationWebhook: v.string() })
export const WebhookRegistrationResult = registrationResult({ webhookUrl: v.string() })

type RegistrationResult =
  | v.InferOutput<typeof NotificationRegistrationResult>
  | v.InferOutput<typeof WebhookRegistrationResult>

const MESSAGES = {
  active: 'The endpoint is registered.',
  pending: 'The registration is pending: repeat the request with a token of an owner or admin of the organization.',
} as const

/** A registration, and its signing secret if that was just created. */
export interface RegistrationWithSecret {
  registration: Registration
  secret?: string
}

/** The response of both operations that register. */
export const toRegistrationResult = ({ registration, secret }: RegistrationWithSecret): RegistrationResult => {
  const { id, orgId, kind, url, status, createdAt, updatedAt } = registration
  const fields = { id, orgId, status, ...(secret !== undefined && { secret }), createdAt, updatedAt }
  const result = { statusCode: 201, success: true, message: MESSAGES[status] } as const
  return kind === 'webhook'
    ? { ...result, data: { ...fields, webhookUrl: url } }
    : { ...result, data: { ...fields, notificationWebhook: url } }
}
