/** The `webhooks` section of the OpenAPI document: the events that the service posts to endpoints. */
import type { JsonSchema } from '@valibot/to-json-schema'
import { EVENT_TYPES, eventBodies } from '../interface/webhook-events.ts'
import { schemaOf } from './json-schema.ts'

/** Not the tag of the operations: client generators create a file for each tag, and one would overwrite the other. */
export const EVENTS = { name: 'Events', description: 'Events that the service posts to webhook endpoints.' }

const header = (name: string, description: string, schema: JsonSchema) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
})

/** Standard Webhooks 1.0.0, "Webhook Headers". For `components.parameters`. */
export const WEBHOOK_PARAMETERS = {
  WebhookId: header(
    'webhook-id',
    'Id of the event, the same for every attempt and replay. Ignore an event whose id was received before.',
    { type: 'string', format: 'uuid' },
  ),
  WebhookTimestamp: header(
    'webhook-timestamp',
    'Time of this attempt in epoch seconds. Reject requests that differ from your clock by more than 5 minutes.',
    { type: 'string', pattern: '^[0-9]+$' },
  ),
  WebhookSignature: header(
    'webhook-signature',
    'Signatures, separated by spaces; one of them must verify. Each is `v1,` and the base64 of the HMAC-SHA256 of ' +
      "`<webhook-id>.<webhook-timestamp>.<body>` with the endpoint's secret, which is the base64 after `whsec_`. For a day after a " +
      'rotation there is one of the new and one of the previous secret.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/=]+( v1,[A-Za-z0-9+/=]+)*$' },
  ),
} as const

const RESPONSES = {
  '2XX': {
    description: 'Delivered. Any other status, including a redirect, is a failure, and the event is posted again.',
  },
  410: { description: 'The endpoint wants no more events, and is disabled.' },
  429: { description: 'Failed. `Retry-After` is respected within limits, also for 502, 503 and 504.' },
}

const describeEvent = (type: string) => {
  const { summary, webhook, notification } = eventBodies(type)
  const kinds = [
    { title: 'For a webhook endpoint', ...schemaOf(webhook) },
    { title: 'For a notification endpoint: ids and state only', ...schemaOf(notification) },
  ]
  return {
    post: {
      operationId: type,
      summary,
      tags: [EVENTS.name],
      security: [],
      parameters: Object.keys(WEBHOOK_PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: { required: true, content: { 'application/json': { schema: { anyOf: kinds } } } },
      responses: RESPONSES,
    },
  }
}

/** https://spec.openapis.org/oas/v3.1.0#oasWebhooks */
export const describeWebhooks = () => Object.fromEntries(EVENT_TYPES.map((type) => [type, describeEvent(type)]))
