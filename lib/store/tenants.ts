/** Tenants in the table. */
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { tenantAddress } from './address.ts'
import { getItem, type Item, toKey } from './table.ts'
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

/** A tenant never changes once it is made, so it may be remembered. */
const known = new Bounded<string, Tenant>(1_000)

export const insertTenant = (unit: UnitOfWork, tenant: Tenant): void => unit.create(toItem(tenant))

/** Throws `resource.not_found`. */
export const readTenant = async (id: string): Promise<Tenant> => {
  const remembered = known.get(id)
  if (remembered !== undefined) return remembered
  const item = await getItem(tenantAddress(id))
  if (item === undefined) throw new AgentError('resource.not_found', 'there is no such tenant')
  return known.set(id, fromItem(item))
}

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
