/** Contracts for managing an organization's registered webhook endpoints. */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { DELIVERY_STATUSES, WebhookDelivery } from '../records/webhook-delivery.ts'
import { RotatedWebhookEndpoint, WebhookEndpoint } from '../records/webhook-endpoint.ts'
import { isDateTime } from '../rfc3339.ts'
import { ACTION, defineContract, LOOKUP, QUERY } from './contract.ts'
import { Cursor, exactly, Limit, MAX_PAGE } from './fields.ts'
import { MANAGERS } from './webhooks.ts'

const EndpointPath = v.object({ orgId: EntityId, endpointId: EntityId })

const REQUIRED_TOKEN = `Needs a token of ${MANAGERS}.`

/** Changes something of an endpoint. */
const CHANGE = {
  ...ACTION,
  parameters: { path: EndpointPath },
} as const

export const GetWebhookEndpoints = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'GetWebhookEndpoints',
  path: '/webhooks/orgs/{orgId}',
  summary: 'List the webhook endpoints of an organization, with their health',
  description: `${REQUIRED_TOKEN} Registrations without a token are included, as \`pending\`.`,
  parameters: { path: v.object({ orgId: EntityId }) },
  responses: { 200: v.array(WebhookEndpoint) },
}))

export const DeleteWebhookEndpoint = /* @__PURE__ */ defineContract(() => ({
  ...CHANGE,
  operationId: 'DeleteWebhookEndpoint',
  method: 'DELETE',
  path: '/webhooks/orgs/{orgId}/{endpointId}',
  summary: 'Delete a webhook endpoint, or a pending registration of one',
  description: `${REQUIRED_TOKEN} Returns the deleted endpoint. Its waiting events are no longer sent.`,
  responses: { 200: WebhookEndpoint },
}))

export const RotateWebhookSecret = /* @__PURE__ */ defineContract(() => ({
  ...CHANGE,
  operationId: 'RotateWebhookSecret',
  path: '/webhooks/orgs/{orgId}/{endpointId}/rotate-secret',
  summary: 'Rotate the signing secret of a webhook endpoint',
  description:
    `${REQUIRED_TOKEN} The secret is shown only once. The previous secret also signs for 24 hours; after another rotation in this time, only ` +
    'the newest secret and the one before it sign.',
  holdsSecret: true,
  responses: { 200: RotatedWebhookEndpoint },
}))

export const TestWebhookEndpoint = /* @__PURE__ */ defineContract(() => ({
  ...CHANGE,
  operationId: 'TestWebhookEndpoint',
  path: '/webhooks/orgs/{orgId}/{endpointId}/test',
  summary: 'Send an endpoint.test event to a webhook endpoint',
  description: `${REQUIRED_TOKEN} The result is in the endpoint's deliveries. A disabled endpoint must be enabled first.`,
  responses: { 202: v.strictObject({ eventId: v.string() }) },
}))

export const EnableWebhookEndpoint = /* @__PURE__ */ defineContract(() => ({
  ...CHANGE,
  operationId: 'EnableWebhookEndpoint',
  path: '/webhooks/orgs/{orgId}/{endpointId}/enable',
  summary: 'Enable a disabled webhook endpoint',
  description: `${REQUIRED_TOKEN} Events that it has missed are kept for 30 days and can be replayed. An endpoint that is not disabled is not changed.`,
  responses: { 200: WebhookEndpoint },
}))

export const GetWebhookDeliveries = /* @__PURE__ */ defineContract(() => ({
  ...LOOKUP,
  operationId: 'GetWebhookDeliveries',
  path: '/webhooks/orgs/{orgId}/{endpointId}/deliveries',
  summary: 'List the attempts to deliver events to a webhook endpoint, newest first',
  description: `${REQUIRED_TOKEN} Attempts are kept for 30 days.`,
  parameters: {
    path: EndpointPath,
    query: v.object({
      status: v.optional(v.picklist(DELIVERY_STATUSES)),
      limit: v.optional(Limit, String(MAX_PAGE)),
      cursor: v.optional(Cursor),
    }),
  },
  responses: { 200: v.array(WebhookDelivery) },
}))

/** `held`: kept while the endpoint was disabled; `failed`: all retries have failed. Pending events need no replay. */
const REPLAYED_STATES = ['held', 'failed', 'delivered'] as const

const Replay = v.pipe(
  exactly({
    /** Events that occurred at this time or later. */
    since: v.optional(
      v.pipe(
        v.string(),
        // Times are compared as text, which is their order up to the year 9999.
        v.check(
          (since) => isDateTime(since) && Date.parse(since) < Date.UTC(10_000, 0),
          'must be a time of RFC 3339, as 2026-11-20T19:37:00Z',
        ),
        v.metadata({ format: 'date-time' }),
      ),
    ),
    /** Only events in this state; by default those in all three. */
    state: v.optional(v.picklist(REPLAYED_STATES)),
    /** Continues after the last call with `since`: the `cursor` of its response. */
    cursor: v.optional(Cursor),
    eventId: v.optional(EntityId),
  }),
  v.check(
    ({ since, eventId }) => (since === undefined) !== (eventId === undefined),
    'must have since or eventId, and not both',
  ),
  v.check(
    ({ since, state, cursor }) => since !== undefined || (state === undefined && cursor === undefined),
    'must have state and cursor only with since',
  ),
  v.metadata({
    not: { required: ['since', 'eventId'] },
    if: { required: ['eventId'] },
    else: { required: ['since'] },
    dependentRequired: { state: ['since'], cursor: ['since'] },
  }),
)

export const ReplayWebhookEvents = /* @__PURE__ */ defineContract(() => ({
  ...CHANGE,
  operationId: 'ReplayWebhookEvents',
  path: '/webhooks/orgs/{orgId}/{endpointId}/replay',
  summary: 'Send events to a webhook endpoint again, with the same ids',
  description:
    `${REQUIRED_TOKEN} Either one event (\`eventId\`), or all that occurred between a time (\`since\`) and the first call: held, failed and ` +
    'delivered ones, or only those in one `state`. Pending events are not affected. If the response has a `cursor`, there may be more: repeat the call ' +
    'with the same body and this `cursor`. A disabled endpoint must be enabled first.',
  body: Replay,
  responses: { 202: v.strictObject({ replayed: v.number(), cursor: v.optional(Cursor) }) },
}))
