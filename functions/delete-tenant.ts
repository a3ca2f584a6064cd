/** DeleteTenant: marks a tenant as removed, and starts the job that removes what it has. */
import { actingAgent, assertMayRemove } from '../lib/auth/access.ts'
import { command } from '../lib/http/command.ts'
import { DeleteTenant } from '../lib/interface/tenants.ts'
import { enqueue } from '../lib/jobs/job.ts'
import { markRemoved } from '../lib/tenants/mark-removed.ts'

export const deleteTenant = command(DeleteTenant, {
  authorize: ({ principal, path }) => {
    assertMayRemove(principal, path.tenantId)
    return actingAgent(principal)
  },
  handle: async ({ path: { tenantId }, query: { silent, keep }, unit }) => {
    await markRemoved(unit, tenantId, { silent: silent === 'true', keep })
    enqueue(unit, { tenant: tenantId, type: 'tenant-removal', id: tenantId })
    return undefined
  },
})
