/**
 * Contracts of webhook registrations, and which URLs may be registered. The address of a host is checked at each
 * delivery.
 */
import * as v from 'valibot'
import { invalidUrlReason } from '../egress/address-guard.ts'
import { NotificationRegistrationResult, WebhookRegistrationResult } from '../records/registration.ts'
import { EntityId } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { COMMAND, defineContract } from './contract.ts'
import { exactly, text } from './fields.ts'

/** Why a URL is not allowed; undefined if it is. `local`: the local stage also allows `http` and loopback addresses. */
export const invalidEndpointReason = (address: string, local: boolean): string | undefined => {
  const reason = invalidUrlReason(address, { local, ipLiterals: false })
  return reason === undefined ? undefined : `is not allowed: ${reason}`
}

const EndpointUrl = v.pipe(
  text(2048),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const message = invalidEndpointReason(dataset.value, settings().LOCAL_STAGE)
    if (message !== undefined) addIssue({ message })
  }),
  v.metadata({ format: 'uri', pattern: '^[Hh][Tt][Tt][Pp][Ss]?://' }),
)

/** Who manages an organization. */
export const MANAGERS =
  "an owner or admin of the organization, a root token with tenants, or for the base agent's organization any root token"

export const RegisterNotificationWebhook = /* @__PURE__ */ defineContract(() => ({
  operationId: 'RegisterNotificationWebhook',
  firstInterface: true,
  method: 'POST',
  path: '/notification/register/webhook-endpoint',
  summary: 'Register organization webhook endpoint for notification',
  description:
    `With a token of ${MANAGERS}, the registration is active. Without a token it is pending: it delivers nothing and expires after 7 days, ` +
    'and the same request with such a token makes it active. The response to a caller without a token does not reveal whether the organization exists.',
  security: 'optional',
  writes: true,
  idempotent: true,
  holdsSecret: true,
  body: exactly({ orgId: EntityId, notificationWebhook: EndpointUrl }),
  responses: { 201: NotificationRegistrationResult },
}))

export const RegisterWebhook = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'RegisterWebhook',
  firstInterface: true,
  path: '/webhooks/orgs/{orgId}/register',
  summary: 'Register Webhook',
  description: `Needs a token of ${MANAGERS}.`,
  parameters: { path: v.object({ orgId: EntityId }) },
  holdsSecret: true,
  body: exactly({ webhookUrl: EndpointUrl }),
  responses: { 201: WebhookRegistrationResult },
}))
