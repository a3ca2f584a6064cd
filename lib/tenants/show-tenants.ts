/** Reads tenants as the API shows them. Nothing here is cached: a removed tenant is not shown. */
import { AgentError } from '../errors.ts'
import { type ListedPage, listItems } from '../store/item-list.ts'
import { getItem, getItems, type Item, type PartitionPage, queryPage } from '../store/table.ts'
import { organizationTenants, type Tenant, tenantAddress, tenantItem } from './tenants.ts'

const toTenantRecord = ({ id, createdAt, orgId, ...config }: Tenant) => ({ id, createdAt, config, orgId })

type ShownTenant = ReturnType<typeof toTenantRecord>

/** Throws `resource.not_found`. */
export const showTenant = async (id: string): Promise<ShownTenant> => {
  const item = await getItem(tenantAddress(id))
  if (item === undefined || !tenantItem.is(item)) throw new AgentError('resource.not_found', 'there is no such tenant')
  return toTenantRecord(tenantItem.decode(item))
}

/** The sort keys of the list of an organization are ids of tenants. */
const POSITION = /^[A-Za-z0-9._:-]{1,64}$/

/** The tenants of entries, at their positions. */
const withTenants = async (entries: Item[]): Promise<Item[]> => {
  const items = await getItems(entries.map(({ sk }) => tenantAddress(sk?.S ?? '')))
  const tenants = new Map(items.filter(tenantItem.is).map((item) => [item.id?.S, item]))
  return entries.flatMap(({ sk }) => {
    const tenant = tenants.get(sk?.S)
    return tenant === undefined || sk === undefined ? [] : [{ ...tenant, sk }]
  })
}

/** A page of entries for these ids, as the list of an organization has them. */
const entriesOf = (ids: readonly string[], limit: number, after = ''): PartitionPage => {
  const rest = [...new Set(ids)].filter((id) => id > after).sort()
  const page = rest.slice(0, limit)
  return { items: page.map((S) => ({ sk: { S } })), next: rest.length > limit ? page.at(-1) : undefined }
}

/**
 * One page of the tenants of an organization, by id: two requests, or one where only `among` these ids may be shown.
 * Throws `request.malformed` for a cursor without a position of the list.
 */
export const listTenants = (
  orgId: string,
  among: '*' | readonly string[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<ListedPage<ShownTenant>> =>
  listItems(
    async (range) =>
      among === '*' ? queryPage(organizationTenants(orgId), range) : entriesOf(among, range.limit, range.after),
    { limit, cursor, order: 'asc' },
    {
      show: (item) => {
        const tenant = tenantItem.decode(item)
        return tenant.orgId === orgId ? toTenantRecord(tenant) : undefined
      },
      filtered: among !== '*',
      complete: withTenants,
      position: POSITION,
    },
  )
