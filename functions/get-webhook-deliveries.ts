/** GetWebhookDeliveries: lists the attempts at an endpoint, newest first. */
import { managingAgent } from '../lib/auth/access.ts'
import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetWebhookDeliveries } from '../lib/interface/webhook-endpoints.ts'
import { assertEndpointExists, listDeliveries } from '../lib/webhooks/endpoints.ts'

export const getWebhookDeliveries = query(GetWebhookDeliveries, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: async ({ path, query }) => {
    const { orgId, endpointId } = path
    // First, because the id alone does not show to which organization the endpoint belongs.
    await assertEndpointExists(path)
    const page = await listDeliveries(endpointId, query)
    return pageOf(page, (delivery) => delivery, { path: `/webhooks/orgs/${orgId}/${endpointId}/deliveries`, query })
  },
})
