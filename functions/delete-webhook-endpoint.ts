/** DeleteWebhookEndpoint: an organization hears no more at this address. */
import { actingAgent, assertManages } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { DeleteWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { transaction } from '../lib/store/transaction.ts'
import { deleteEndpoint } from '../lib/webhooks/endpoints.ts'

export const deleteWebhookEndpoint = defineOperation(DeleteWebhookEndpoint, async ({ principal, path }) => {
  assertManages(principal, path.orgId)
  return transaction(actingAgent(principal), (unit) => deleteEndpoint(unit, path))
})
