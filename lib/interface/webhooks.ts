/** Contracts of webhook registrations. */
import * as v from 'valibot'
import { NotificationRegistrationResult, WebhookRegistrationResult } from '../records/registration.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { EndpointUrl } from './endpoint-url.ts'
import { exactly } from './fields.ts'

/** Who manages an organization. */
export const MANAGERS =
  "an owner or admin of the organization, a root token with tenants, or for the base agent's organization any root token"

export const RegisterNotificationWebhook = /* @__PURE__ */ defineContract(() => ({
  operationId: 'RegisterNotificationWebhook',
  method: 'POST',
  path: '/notification/register/webhook-endpoint',
  summary: 'Register organization webhook endpoint for notification',
  description:
    `With a token of ${MANAGERS}, the registration is active. Without a token it is pending: it delivers nothing and expires after 7 days, ` +
    'and the same request with such a token makes it active. The answer to a caller without a token does not tell whether the organization exists.',
  security: 'optional',
  idempotent: true,
  secretAnswer: true,
  body: exactly({ orgId: EntityId, notificationWebhook: EndpointUrl }),
  answers: { 201: NotificationRegistrationResult },
}))

export const RegisterWebhook = /* @__PURE__ */ defineContract(() => ({
  operationId: 'RegisterWebhook',
  method: 'POST',
  path: '/webhooks/orgs/{orgId}/register',
  summary: 'Register Webhook',
  description: `Needs a token of ${MANAGERS}.`,
  security: 'token',
  idempotent: true,
  parameters: { path: v.object({ orgId: EntityId }) },
  secretAnswer: true,
  body: exactly({ webhookUrl: EndpointUrl }),
  answers: { 201: WebhookRegistrationResult },
}))
