/** EnableWebhookEndpoint: enables a disabled endpoint again. */
import { managingAgent } from '../lib/auth/access.ts'
import { command } from '../lib/http/command.ts'
import { EnableWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { enableEndpoint } from '../lib/webhooks/endpoint-changes.ts'

export const enableWebhookEndpoint = command(EnableWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path, unit }) => enableEndpoint(unit, path),
})
