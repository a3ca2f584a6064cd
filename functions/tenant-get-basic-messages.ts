/** tenant_GetBasicMessages: lists the messages of a tenant's connection, oldest first. */

import { namedTenant } from '../lib/auth/access.ts'
import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { TenantGetBasicMessages } from '../lib/interface/basic-messages.ts'
import { listBasicMessages } from '../lib/readers/basic-messages.ts'
import { toBasicMessageJson } from '../lib/records/delivery.ts'

export const tenantGetBasicMessages = query(TenantGetBasicMessages, {
  authorize: ({ principal, path }) => namedTenant(principal, path.tenantId),
  handle: async ({ agent, path: { connectionId }, query }) => {
    const page = await listBasicMessages(agent, connectionId, query)
    const path = `/multi-tenancy/basic-messages/${connectionId}/${agent}`
    return pageOf(page, toBasicMessageJson, { path, query })
  },
})
