/** CreateTenant: an agent of its own for an organization; it costs an item in the table. */
import { randomUUID } from 'node:crypto'
import { assertMayCreateTenants } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { transactional } from '../lib/http/transactional.ts'
import { CreateTenant } from '../lib/interface/tenants.ts'
import { insertTenant } from '../lib/store/tenants.ts'
import { currentUnit } from '../lib/store/transaction.ts'

export const createTenant = defineOperation(
  CreateTenant,
  transactional(async ({ principal, body }) => {
    assertMayCreateTenants(principal)
    const id = randomUUID()
    const { config, orgId = id } = body
    const createdAt = new Date().toISOString()
    insertTenant(currentUnit(), { id, orgId, createdAt, ...config })
    return { id, createdAt, config, orgId }
  }),
)
