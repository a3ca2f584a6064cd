/**
 * The status lists of an issuer, and until when a credential refers to them. Heads are written outside of the
 * transaction, in which they would conflict; a list that no credential refers to does no harm.
 */
import { randomBytes } from 'node:crypto'
import { settings } from '../settings.ts'
import { defineItem, readItem, type Stored } from '../store/item.ts'
import { inKey, isoTime, text } from '../store/item-fields.ts'
import { address } from '../store/keys.ts'
import { queryAll, queryPage } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { putIfAbsent, updateIf } from '../store/write.ts'

/** Credentials of a list. */
export const ENTRIES = 2 ** 17

const DAY = 24 * 60 * 60_000

/** Partition of an issuer's status lists: those of its own in their order, and those that the tenant has named. */
const listsPartition = (tenant: string, issuerId: string): string => `${tenant}|status-lists|${issuerId}`

export const headItem = defineItem(
  'status-list',
  ({ tenant, issuerId, place }: { tenant: string; issuerId: string; place: string }) =>
    address(listsPartition(tenant, issuerId), place),
  {
    /** Its number among the issuer's own lists, or the name that the tenant has given it. */
    place: inKey('sk', text()),
    listId: text(),
    /** The latest end of a revocable credential in it, rounded up to the day. */
    until: isoTime(),
  },
  { OpenId4VcIssuerRecord: ({ tenant, id }) => [listsPartition(tenant, id)] },
)
export type ListHead = Stored<typeof headItem>

/** Sorts after the places of own lists, which are digits, and before those of named lists. */
const AFTER_OWN = 'a'
const ownPlace = (number: number): string => String(number).padStart(8, '0')
const namedPlace = (listId: string): string => `named#${listId}`

/** Its address for verifiers: `sub` of the list, `uri` in credentials. */
export const statusListUri = (issuerId: string, listId: string): string =>
  `${settings().PUBLIC_URL}/oid4vci/${issuerId}/status/${listId}`

const endOfDay = (time: Date): string => new Date(Math.ceil(time.getTime() / DAY) * DAY).toISOString()

interface OfIssuer {
  issuerId: string
  /** When the credential ends. */
  until: Date
}

/** The list of an issuer that is in use; undefined if there is none yet. */
export const newestList = async (unit: UnitOfWork, issuerId: string): Promise<ListHead | undefined> => {
  const range = { to: AFTER_OWN, limit: 1, descending: true }
  const { items } = await unit.query(listsPartition(unit.tenant, issuerId), range)
  return items[0] && headItem.decode(items[0])
}

/** Begins a list at a place, unless another invocation was first: then returns the existing one. */
const begin = async (unit: UnitOfWork, { issuerId, until }: OfIssuer, place: string, listId: string) => {
  const head = { place, listId, until: endOfDay(until) }
  const key = { tenant: unit.tenant, issuerId, place }
  if (await unit.runRead(() => putIfAbsent(headItem.encode({ ...key, ...head })))) return head
  return (await unit.load(headItem, key)) ?? head
}

/** Begins the list that follows on `last`. */
export const beginNextList = (unit: UnitOfWork, of: OfIssuer, last: ListHead | undefined): Promise<ListHead> =>
  begin(unit, of, ownPlace(Number(last?.place ?? 0) + 1), randomBytes(16).toString('base64url'))

/** Records that a credential refers to a list: about one write a day, because many credentials end on the same day. */
export const extendUntil = async (unit: UnitOfWork, { issuerId, until }: OfIssuer, head: ListHead): Promise<void> => {
  if (head.until >= endOfDay(until)) return
  const later = headItem.attributes({ until: endOfDay(until) })
  const address = headItem.addressOf({ tenant: unit.tenant, issuerId, place: head.place })
  await unit.runRead(() => updateIf(address, { set: later }, { below: later }))
}

/** The same for a list that the tenant has named, which is begun if it does not exist. */
export const extendNamedList = async (unit: UnitOfWork, of: OfIssuer, listId: string): Promise<void> => {
  const place = namedPlace(listId)
  const head = await unit.load(headItem, { tenant: unit.tenant, issuerId: of.issuerId, place })
  await extendUntil(unit, of, head ?? (await begin(unit, of, place, listId)))
}

/** Whether an issuer has a list. */
export const hasList = async (tenant: string, issuerId: string, listId: string): Promise<boolean> => {
  const [named, { items }] = await Promise.all([
    readItem(headItem, { tenant, issuerId, place: namedPlace(listId) }),
    // One page has lists for hundreds of millions of credentials.
    queryPage(listsPartition(tenant, issuerId), { to: AFTER_OWN }),
  ])
  return named !== undefined || items.some((item) => headItem.decode(item).listId === listId)
}

/** All lists of an issuer. */
export const listsOf = async (tenant: string, issuerId: string): Promise<ListHead[]> =>
  (await queryAll(listsPartition(tenant, issuerId))).map(headItem.decode)

/** Until when an issuer has revocable credentials; undefined if it never had any. */
export const revocableUntil = async (unit: UnitOfWork, issuerId: string): Promise<Date | undefined> => {
  const heads = await unit.queryAll(listsPartition(unit.tenant, issuerId))
  const last = heads
    .map((item) => headItem.decode(item).until)
    .toSorted()
    .at(-1)
  return last === undefined ? undefined : new Date(last)
}
