/** Stores and reads tenants. */
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { defineItem, type Reader, readItem, type Stored } from '../store/item.ts'
import { flag, optional, text } from '../store/item-fields.ts'
import { type Address, address } from '../store/keys.ts'
import { getItem, type Item, queryPage } from '../store/table.ts'

export const tenantAddress = (tenant: string): Address => address(`@tenant|${tenant}`)

/** Partition of an organization's tenants, by id. */
export const organizationTenants = (orgId: string): string => `@org|${orgId}|tenants`

export const tenantItem = defineItem('tenant', ({ id }: { id: string }) => tenantAddress(id), {
  id: text(),
  label: text(),
  connectionImageUrl: optional(text()),
  /** Whether received offers and proof requests are accepted without an API call; absent: they wait for one. */
  autoAcceptOffers: optional(flag()),
  autoAcceptProofRequests: optional(flag()),
  /** Organization that the tenant's events go to. */
  orgId: text(),
  /** ISO 8601 UTC. */
  createdAt: text(),
})

export type Tenant = Stored<typeof tenantItem>

/** The entry of a tenant in its organization's list. */
const organizationTenantItem = defineItem(
  'organization-tenant',
  ({ orgId, id }: Pick<Tenant, 'orgId' | 'id'>) => ({ pk: organizationTenants(orgId), sk: id }),
  {},
)

/** In ms. A tenant never changes, but one that was deleted is still read for this long. */
const CACHE_MS = 60_000
const cache = new Bounded<string, Tenant>(1_000, CACHE_MS)

/** Creates items, such as a unit of work. */
interface Creator {
  create(item: Item): void
}

export const insertTenant = (unit: Creator, tenant: Tenant): void => {
  unit.create(tenantItem.encode(tenant))
  unit.create(organizationTenantItem.encode(tenant))
}

/** Throws `resource.not_found`; after a deletion it takes up to a minute. */
export const readTenant = async (id: string, reader: Reader = { load: readItem }): Promise<Tenant> => {
  const cached = cache.get(id)
  if (cached !== undefined) return cached
  const tenant = await reader.load(tenantItem, { id })
  if (tenant === undefined) throw new AgentError('resource.not_found', 'there is no such tenant')
  return cache.set(id, tenant)
}

/** Not cached: the gateway caches the result for a minute, and two caches would make it two minutes. */
export const tenantExists = async (id: string): Promise<boolean> => (await getItem(tenantAddress(id))) !== undefined

/** Whether an organization has a tenant. */
export const hasTenants = async (orgId: string): Promise<boolean> =>
  (await queryPage(organizationTenants(orgId), { limit: 1 })).items.length > 0
