/** Stores and reads tenants. */
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { defineItem, type Image, type Reader, readItem, type Stored } from '../store/item.ts'
import { flag, integer, isoTime, optional, picklist, text } from '../store/item-fields.ts'
import { type Address, address } from '../store/keys.ts'
import { getItem, type Item, queryPage } from '../store/table.ts'

export const tenantAddress = (tenant: string): Address => address(`@tenant|${tenant}`)

/** Partition of an organization's tenants, by id. */
export const organizationTenants = (orgId: string): string => `@org|${orgId}|tenants`

export const tenantItem = defineItem(
  'tenant',
  ({ id }: { id: string }) => tenantAddress(id),
  {
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
  },
  'parts',
)

export type Tenant = Stored<typeof tenantItem>

/** The entry of a tenant in its organization's list. */
export const organizationTenantItem = defineItem(
  'organization-tenant',
  ({ orgId, id }: Pick<Tenant, 'orgId' | 'id'>) => ({ pk: organizationTenants(orgId), sk: id }),
  {},
  'parts',
)

/**
 * The order of a removal. `second`: what was written while processes still knew the tenant. `status-lists`: only if they
 * are kept.
 */
const REMOVAL_PHASES = ['pages', 'hang-ups', 'status-lists', 'connections', 'first', 'second'] as const

/**
 * The mark of a removed tenant, at the tenant's address. While there is a phase, its data are being removed; then only
 * `id`, `removedAt` and `keep` remain.
 */
export const removedTenantItem = defineItem(
  'removed-tenant',
  ({ id }: { id: string }) => tenantAddress(id),
  {
    id: text(),
    removedAt: isoTime(),
    /** What others need to verify its credentials is kept, and so is the mark. */
    keep: optional(picklist(['public'])),
    orgId: optional(text()),
    phase: optional(picklist(REMOVAL_PHASES)),
    /** Its connections are not told. */
    silent: optional(flag()),
    /** Where the phase continues. */
    place: optional(text()),
    /** When something was removed last. */
    progressAt: optional(isoTime()),
    /** The organization had no other tenant after the first pass. */
    wasLast: optional(flag()),
    /** Epoch seconds: longer than a backup can bring the tenant back. */
    expiresAt: optional(integer()),
  },
  'parts',
)
export type RemovedTenant = Stored<typeof removedTenantItem>

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

/** A tenant's item, which the mark may have replaced. */
export const existingTenant = {
  addressOf: tenantItem.addressOf,
  decode: (item: Image): Tenant | undefined => (removedTenantItem.is(item) ? undefined : tenantItem.decode(item)),
}

export const notFound = () => new AgentError('resource.not_found', 'there is no such tenant')

/** Throws `resource.not_found`; after a removal it takes up to a minute. */
export const readTenant = async (id: string, reader: Reader = { load: readItem }): Promise<Tenant> => {
  const cached = cache.get(id)
  if (cached !== undefined) return cached
  const tenant = await reader.load(existingTenant, { id })
  if (tenant === undefined) throw notFound()
  return cache.set(id, tenant)
}

/** Not cached: the gateway caches the result for a minute, and two caches would make it two minutes. */
export const tenantExists = async (id: string): Promise<boolean> =>
  (await readItem(existingTenant, { id })) !== undefined

/** Whether an agent is a tenant that was removed; within the minute for which processes remember a tenant. */
export const isRemoved = async (agent: string): Promise<boolean> => {
  if (agent === BASE_AGENT || cache.get(agent) !== undefined) return false
  const item = await getItem(tenantAddress(agent))
  if (item !== undefined && tenantItem.is(item)) cache.set(agent, tenantItem.decode(item))
  return removedTenantItem.is(item)
}

/** Whether an organization has a tenant. */
export const hasTenants = async (orgId: string): Promise<boolean> =>
  (await queryPage(organizationTenants(orgId), { limit: 1 })).items.length > 0
