/** GetWebhookEndpoints: lists an organization's endpoints with their health. */
import { managingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetWebhookEndpoints } from '../lib/interface/webhook-endpoints.ts'
import { listEndpoints } from '../lib/webhooks/endpoints.ts'

export const getWebhookEndpoints = defineOperation(GetWebhookEndpoints, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path }) => listEndpoints(path.orgId),
})
