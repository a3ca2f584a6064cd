/** GetWebhookEndpoints: lists an organization's endpoints with their health. */
import { managingAgent } from '../lib/auth/access.ts'
import { query } from '../lib/http/query.ts'
import { GetWebhookEndpoints } from '../lib/interface/webhook-endpoints.ts'
import { listEndpoints } from '../lib/webhooks/endpoints.ts'

export const getWebhookEndpoints = query(GetWebhookEndpoints, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path }) => listEndpoints(path.orgId),
})
