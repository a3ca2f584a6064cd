/** GetWebhookEndpoints: where an organization's events go, and how its endpoints are doing. */
import { assertManages } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetWebhookEndpoints } from '../lib/interface/webhook-endpoints.ts'
import { listEndpoints } from '../lib/webhooks/endpoints.ts'

export const getWebhookEndpoints = defineOperation(GetWebhookEndpoints, async ({ principal, path }) => {
  assertManages(principal, path.orgId)
  return listEndpoints(path.orgId)
})
