/** GetTenant: returns a tenant, in one read. */
import { namedTenant } from '../lib/auth/access.ts'
import { query } from '../lib/http/query.ts'
import { GetTenant } from '../lib/interface/tenants.ts'
import { showTenant } from '../lib/tenants/show-tenants.ts'

export const getTenant = query(GetTenant, {
  authorize: ({ principal, path }) => namedTenant(principal, path.tenantId),
  handle: ({ agent }) => showTenant(agent),
})
