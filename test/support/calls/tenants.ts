/** Example calls on tenants. */
import type { Examples } from './call-scene.ts'

export const tenants: Examples = {
  CreateTenant: async ({ tenantId }) => ({
    asked: { body: { config: { label: 'one', connectionImageUrl: 'https://example.org/logo.png' } } },
    other: { body: { config: { label: 'two' } } },
    caller: {},
    unauthorized: { tenantId },
  }),
  DeleteTenant: async (scene) => ({
    asked: { path: await scene.newTenant(), query: { silent: 'true' } },
    caller: {},
    unauthorized: { tenantId: scene.tenantId },
  }),
  // Its organization has its id.
  GetTenants: async ({ tenantId }) => ({
    asked: { query: { orgId: tenantId, limit: '10' } },
    caller: {},
    unauthorized: { tenantId, organizations: { [tenantId]: ['owner'] } },
  }),
}
