/** Tenants in the table. */
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { organizationTenants, tenantAddress } from './address.ts'
import { getItem, type Item, queryPage, toKey } from './table.ts'
import type { UnitOfWork } from './unit-of-work.ts'

export interface Tenant {
  id: string
  label: string
  connectionImageUrl?: string | undefined
  /** Organization that the tenant's events go to. */
  orgId: string
  /** ISO 8601 UTC. */
  createdAt: string
}

/** A tenant never changes once it is made; one that is deleted is remembered for this long, in ms. */
const REMEMBERED = 60_000
const known = new Bounded<string, Tenant>(1_000, REMEMBERED)

export const insertTenant = (unit: UnitOfWork, tenant: Tenant): void => {
  unit.create(toItem(tenant))
  unit.create({
    ...toKey({ pk: organizationTenants(tenant.orgId), sk: tenant.id }),
    kind: { S: 'organization-tenant' },
  })
}

/** Throws `resource.not_found`, at most a minute late after a deletion. */
export const readTenant = async (id: string): Promise<Tenant> => {
  const remembered = known.get(id)
  if (remembered !== undefined) return remembered
  const item = await getItem(tenantAddress(id))
  if (item === undefined) throw new AgentError('resource.not_found', 'there is no such tenant')
  return known.set(id, fromItem(item))
}

/** Reads each time: the gateway remembers what comes of it for a minute, and both together would be two. */
export const tenantExists = async (id: string): Promise<boolean> => (await getItem(tenantAddress(id))) !== undefined

/** Whether an organization has a tenant. */
export const hasTenants = async (orgId: string): Promise<boolean> =>
  (await queryPage(organizationTenants(orgId), { limit: 1 })).items.length > 0

const toItem = ({ id, label, connectionImageUrl, orgId, createdAt }: Tenant): Item => ({
  ...toKey(tenantAddress(id)),
  kind: { S: 'tenant' },
  id: { S: id },
  label: { S: label },
  ...(connectionImageUrl === undefined ? {} : { connectionImageUrl: { S: connectionImageUrl } }),
  orgId: { S: orgId },
  createdAt: { S: createdAt },
})

const fromItem = ({ id, label, connectionImageUrl, orgId, createdAt }: Item): Tenant => ({
  id: id?.S ?? '',
  label: label?.S ?? '',
  ...(connectionImageUrl?.S === undefined ? {} : { connectionImageUrl: connectionImageUrl.S }),
  orgId: orgId?.S ?? '',
  createdAt: createdAt?.S ?? '',
})
