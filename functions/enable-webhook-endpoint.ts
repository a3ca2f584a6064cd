/** EnableWebhookEndpoint: enables a disabled endpoint again. */
import { managingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { EnableWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { enableEndpoint } from '../lib/webhooks/registrations.ts'

export const enableWebhookEndpoint = defineOperation(EnableWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path, unit }) => enableEndpoint(unit, path),
  inTransaction,
})
