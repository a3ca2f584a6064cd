/** TestWebhookEndpoint: sends an endpoint a test event. */
import { managingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { TestWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { sendTestEvent } from '../lib/webhooks/replays.ts'

export const testWebhookEndpoint = defineOperation(TestWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path, unit }) => sendTestEvent(unit, path),
  inTransaction,
})
