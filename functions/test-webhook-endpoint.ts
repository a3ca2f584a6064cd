/** TestWebhookEndpoint: an event that says nothing but that events arrive. */
import { managingAgent } from '../lib/auth/access.ts'
import { defineCommand } from '../lib/http/command.ts'
import { TestWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { sendTestEvent } from '../lib/webhooks/test-event.ts'

export const testWebhookEndpoint = defineCommand(TestWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  act: ({ path, unit }) => sendTestEvent(unit, path),
})
