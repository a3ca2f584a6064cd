/** TestWebhookEndpoint: sends an endpoint a test event. */
import { managingAgent } from '../lib/auth/access.ts'
import { command } from '../lib/http/command.ts'
import { TestWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { sendTestEvent } from '../lib/webhooks/replays.ts'

export const testWebhookEndpoint = command(TestWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path, unit }) => sendTestEvent(unit, path),
})
