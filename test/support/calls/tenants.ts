/** Example calls on tenants. */
import type { Examples } from './call-scene.ts'

export const tenants: Examples = {
  CreateTenant: async ({ tenantId }) => ({
    asked: { body: { config: { label: 'one', connectionImageUrl: 'https://example.org/logo.png' } } },
    other: { body: { config: { label: 'two' } } },
    caller: {},
    unauthorized: { tenantId },
  }),
}
