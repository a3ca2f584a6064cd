/** Replaces a tenant by the mark of its removal. */
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { existingTenant, notFound, organizationTenantItem, removedTenantItem, tenantItem } from './tenants.ts'

/** How a tenant is removed. `silent`: its connections are not told. */
export interface RemovalOptions {
  silent: boolean
  keep?: 'public' | undefined
}

/** Replaces a tenant by its mark. Throws `resource.not_found`. */
export const markRemoved = async (unit: UnitOfWork, id: string, { silent, keep }: RemovalOptions): Promise<void> => {
  const tenant = await unit.load(existingTenant, { id })
  if (tenant === undefined) throw notFound()
  const now = new Date().toISOString()
  const { orgId, createdAt } = tenant
  const mark = removedTenantItem.encode({ id, removedAt: now, keep, orgId, phase: 'pages', silent, progressAt: now })
  unit.replace(mark, tenantItem.attributes({ orgId, createdAt }))
  unit.delete(organizationTenantItem.addressOf(tenant))
}
