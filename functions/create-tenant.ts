/** CreateTenant: creates a tenant, which is two items in the table. */
import { randomUUID } from 'node:crypto'
import { actingAgent, assertMayCreateTenants } from '../lib/auth/access.ts'
import { command } from '../lib/http/command.ts'
import { CreateTenant } from '../lib/interface/tenants.ts'
import { insertTenant } from '../lib/tenants/tenants.ts'

export const createTenant = command(CreateTenant, {
  authorize: ({ principal, body }) => {
    assertMayCreateTenants(principal, body.orgId)
    return actingAgent(principal)
  },
  handle: async ({ body, unit }) => {
    const id = randomUUID()
    const { config, orgId = id } = body
    const createdAt = new Date().toISOString()
    insertTenant(unit, { id, orgId, createdAt, ...config })
    return { id, createdAt, config, orgId }
  },
})
