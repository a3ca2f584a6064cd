/** GetTenants: lists an organization's tenants, by id. */
import { listableTenants } from '../lib/auth/access.ts'
import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetTenants } from '../lib/interface/tenants.ts'
import { listTenants } from '../lib/tenants/show-tenants.ts'

export const getTenants = query(GetTenants, async ({ principal, query }) => {
  const page = await listTenants(query.orgId, listableTenants(principal, query.orgId), query)
  return pageOf(page, (tenant) => tenant, { path: GetTenants.path, query })
})
