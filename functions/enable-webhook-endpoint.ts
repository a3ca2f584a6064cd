/** EnableWebhookEndpoint: an endpoint that was given up gets events again. */
import { managingAgent } from '../lib/auth/access.ts'
import { defineCommand } from '../lib/http/command.ts'
import { EnableWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { enableEndpoint } from '../lib/webhooks/endpoints.ts'

export const enableWebhookEndpoint = defineCommand(EnableWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  act: ({ path, unit }) => enableEndpoint(unit, path),
})
