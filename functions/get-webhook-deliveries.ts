/** GetWebhookDeliveries: what became of each attempt at an endpoint, newest first, a page at a time. */
import { managingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetWebhookDeliveries } from '../lib/interface/webhook-endpoints.ts'
import { assertEndpointExists, listDeliveries } from '../lib/webhooks/endpoints.ts'

export const getWebhookDeliveries = defineOperation(GetWebhookDeliveries, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: async ({ path, query }) => {
    const { orgId, endpointId } = path
    // Before anything of it is read: the id alone does not say whose endpoint it is.
    await assertEndpointExists(path)
    const { entries, next } = await listDeliveries(endpointId, query)
    return pageOf(entries, { path: `/webhooks/orgs/${orgId}/${endpointId}/deliveries`, query, next })
  },
})
