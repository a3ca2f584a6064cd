/** Finds by a scan what the table still has of a removed tenant, and removes what has no other way to it. */
import { setTimeout as delay } from 'node:timers/promises'
import { KEPT } from '../../lib/removal/keep-public.ts'
import type { Condition } from '../../lib/store/conditions.ts'
import { scanSegment } from '../../lib/store/scan.ts'
import { addressOf, getItem } from '../../lib/store/table.ts'
import { removeIf } from '../../lib/store/write.ts'
import { type RemovedTenant, removedTenantItem, tenantAddress } from '../../lib/tenants/tenants.ts'
import { StageFailure } from '../failure.ts'
import type { Leftover, Search } from './search.ts'

/** The mark of a tenant whose removal has ended. Throws `StageFailure` if there is none, and `store.unavailable`. */
export const requireMark = async (id: string): Promise<RemovedTenant> => {
  const item = await getItem(tenantAddress(id))
  if (item === undefined) throw new StageFailure(`${id} has no mark of a removal: there was none, or it has expired`)
  if (!removedTenantItem.is(item)) throw new StageFailure(`${id} is a tenant that was not removed`)
  const mark = removedTenantItem.decode(item)
  if (mark.phase !== undefined) throw new StageFailure(`the removal of ${id} has not ended: repeat this later`)
  return mark
}

/** A tenant's items have its id in their key; in a partition of the service they have it in an attribute. */
const isOf = (id: string): Condition => {
  const [own, service] = [{ S: `${id}|` }, { pk: { S: '@' } }]
  return {
    anyOf: [
      { beginsWith: { pk: own } },
      { beginsWith: service, equals: { tenant: { S: id } } },
      { beginsWith: { ...service, lane: own } },
      { beginsWith: { ...service, corruptPk: own } },
      { equals: { kind: { S: 'organization-tenant' }, sk: { S: id } } },
    ],
  }
}

/** Eventually consistent read units of a page of 1 MB. */
const PAGE_UNITS = 2 ** 20 / 4096 / 2

/** Reads what the search has not read yet, with at most `rate` read units a second. Throws `store.unavailable`. */
export const findLeftovers = async (search: Search, rate: number): Promise<void> => {
  const { places, tenant, leftovers } = search
  let nextTurn = 0
  const readSegment = async (segment: number): Promise<void> => {
    for (let place = places[segment]; place !== undefined && place !== 'end'; places[segment] = place) {
      const turn = Math.max(nextTurn, Date.now())
      nextTurn = turn + (PAGE_UNITS / rate) * 1000
      await delay(Math.max(0, turn - Date.now()))
      const after = place === 'start' ? undefined : place
      const { items, next, units = PAGE_UNITS } = await scanSegment(isOf(tenant), { segment, of: places.length, after })
      nextTurn += ((units - PAGE_UNITS) / rate) * 1000
      search.units += units
      for (const item of items)
        leftovers.push({ ...addressOf(item), kind: item.kind?.S ?? '', expires: item.expiresAt !== undefined })
      place = next ?? 'end'
    }
  }
  await Promise.all(places.map((_, segment) => readSegment(segment)))
}

/** The type of a record or of its entry. */
const typeOf = ({ kind, pk }: Leftover): string | undefined =>
  ['record', 'entry'].includes(kind) ? pk.split('|')[1] : undefined

const isKept = (one: Leftover, { keep }: RemovedTenant): boolean =>
  one.expires || one.kind === 'openid-id' || (keep !== undefined && KEPT.has(typeOf(one) ?? one.kind))

/** Numbers and kinds of the leftovers, and how many of them `removeLeftovers` removes. */
export const summary = ({ leftovers, tenant }: Search, mark: RemovedTenant): string => {
  const lines = leftovers.map((one) => {
    const remark = one.expires ? '(expires)' : isKept(one, mark) ? '(kept)' : ''
    return `${one.kind} ${typeOf(one) ?? ''} ${remark}`.replace(/ +/g, ' ').trim()
  })
  const counted = [...Map.groupBy(lines.toSorted(), (line) => line)].map(([line, { length }]) => `${length} ${line}`)
  const removable = leftovers.filter((one) => !isKept(one, mark)).length
  return [...counted, `${leftovers.length} items are left of ${tenant}; --remove removes ${removable}`].join('\n')
}

/** Items of each quarter of a second. */
const CHUNK = 25

/**
 * Removes what the search has found and is still of this tenant, of that kind and without expiry. Returns how many.
 * Throws `StageFailure` if the mark has gone, and `store.unavailable`.
 */
export const removeLeftovers = async (search: Search): Promise<number> => {
  const { tenant, leftovers, removedAt } = search
  let removed = 0
  while (search.handled < leftovers.length) {
    const pause = delay(250)
    const mark = await requireMark(tenant)
    if (mark.removedAt !== removedAt) throw new StageFailure(`${tenant} was removed again: look for leftovers again`)
    const chunk = leftovers.slice(search.handled, search.handled + CHUNK)
    const removals = chunk
      .filter((one) => !isKept(one, mark))
      .map(({ kind, ...address }) =>
        removeIf(address, { ...isOf(tenant), equals: { kind: { S: kind } }, absent: ['expiresAt'] }),
      )
    removed += (await Promise.all(removals)).filter(Boolean).length
    search.handled += chunk.length
    await pause
  }
  return removed
}
