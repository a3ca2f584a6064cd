/** DeleteWebhookEndpoint: deletes an endpoint of an organization. */
import { managingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { DeleteWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { deleteEndpoint } from '../lib/webhooks/registrations.ts'

export const deleteWebhookEndpoint = defineOperation(DeleteWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path, unit }) => deleteEndpoint(unit, path),
  inTransaction,
})
