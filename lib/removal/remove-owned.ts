/**
 * Removes what belongs to an owner, by the descriptions of records and items (`belongsTo`). Each write is one item. What
 * leads to others is removed after them, so a run that was killed is continued by another one that begins again.
 */
import { isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import { RECORDS } from '../records/kinds.ts'
import type { Owner } from '../records/owners.ts'
import {
  allRecordsPartition,
  indexEntries,
  partitionsOf,
  sharesPartition,
  type TagQuery,
} from '../store/index-entries.ts'
import { type Address, recordKeyOf, recordOfEntry } from '../store/keys.ts'
import { fromRecordItem } from '../store/stored-record.ts'
import { addressOf, getItem, type Item, queryPage, queryPages } from '../store/table.ts'
import { removeIf } from '../store/write.ts'
import { closePage } from './close-pages.ts'
import { OWNED_ITEMS } from './owned-items.ts'
import type { Run } from './run.ts'
import { wayFrom } from './ways.ts'

export interface Removal {
  run: Run
  /** Also what others than the owner may use: with its tenant. */
  shared: boolean
  /** Kinds of items and types of records that stay. */
  kept: ReadonlySet<string>
  /** A type of records that another phase removes. */
  skipped?: string
}

/** Items that are read and removed at once. */
const PAGE = 25

/** Removes all that belongs to an owner, but not the owner. Throws a `RunEnded`, `store.unavailable`. */
export const removeOwned = async (owner: Owner, removal: Removal): Promise<void> => {
  const partitions = OWNED_ITEMS.filter(({ kind }) => !removal.kept.has(kind)).flatMap(
    ({ belongsTo }) => wayFrom(belongsTo, owner.type, removal.shared)?.(owner) ?? [],
  )
  for (const pk of new Set(partitions)) await removePartition(owner, pk, removal)
  for (const kind of RECORDS.filter(({ type }) => type !== removal.skipped)) {
    const query = wayFrom(kind.belongsTo, owner.type, removal.shared)?.(owner)
    if (query !== undefined) await removeRecords(owner, kind, query as TagQuery, removal)
  }
}

const removeItems = async (addresses: Address[], { run }: Removal): Promise<void> => {
  if (addresses.length > 0) await run.remove(addresses.length, () => Promise.all(addresses.map((one) => removeIf(one))))
}

/** Removes the items of a partition, except a record, whose index entries lead to more. */
export const removePartition = async ({ tenant }: Pick<Owner, 'tenant'>, pk: string, removal: Removal) => {
  for await (const page of queryPages(pk, PAGE)) {
    removal.run.checkTime()
    const items = page.filter(({ kind }) => kind?.S !== 'record' && !removal.kept.has(String(kind?.S)))
    for (const item of items) await removeOfItem(tenant, item, removal)
    await removeItems(items.map(addressOf), removal)
  }
}

/** Removes what belongs to an item. */
const removeOfItem = async (tenant: string, item: Item, removal: Removal): Promise<void> => {
  const type = String(item.kind?.S)
  if (![...OWNED_ITEMS, ...RECORDS].some(({ belongsTo }) => wayFrom<unknown>(belongsTo, type, removal.shared))) return
  const value = decoded(item, (image) => OWNED_ITEMS.find(({ kind }) => kind === type)?.decode(image))
  if (value !== undefined)
    await removeOwned({ tenant, type, id: String(Object(value).id), value: { ...value } }, removal)
}

/** Undefined for what cannot be decoded: it is removed, and what it leads to is found by the scan of an operator. */
const decoded = <T>(item: Item, decode: (item: Item) => T): T | undefined => {
  try {
    return decode(item)
  } catch (error) {
    if (!isAgentError(error, 'internal')) throw error
    log('error', 'unreadable item removed', { event: 'removal.unreadable', kind: String(item.kind?.S) })
    return undefined
  }
}

const removeRecords = async (
  { tenant }: Owner,
  { type }: RecordDefinition,
  query: TagQuery,
  removal: Removal,
): Promise<void> => {
  // The owner names none.
  if (Object.values(query).some((value) => value === undefined || (Array.isArray(value) && value.length === 0))) return
  for (const { pk } of partitionsOf(tenant, type, query))
    for await (const page of queryPages(pk, PAGE)) {
      removal.run.checkTime()
      // A record that shares a partition has neither index entries nor anything that belongs to it.
      if (!sharesPartition(type))
        for (const entry of page) await removeRecordAt(recordOfEntry(addressOf(entry)), pk, removal)
      if (!removal.kept.has(type)) await removeItems(page.map(addressOf), removal)
    }
}

/**
 * Removes the records of a page of the list of all, but not their entries in it: by these another pass finds what was
 * added meanwhile. Returns the next place, if there is one.
 */
export const removePage = async (tenant: string, type: string, removal: Removal, after: string | undefined) => {
  const list = allRecordsPartition(tenant, type)
  const { items, next } = await queryPage(list, { limit: PAGE, after })
  for (const entry of items) await removeRecordAt(recordOfEntry(addressOf(entry)), list, removal)
  return next
}

/** Removes a record; `through`: the partition of the entry that leads to it, which is removed last. */
const removeRecordAt = async (address: Address, through: string, removal: Removal): Promise<void> => {
  const item = await getItem(address)
  // What was added for a record that is removed.
  if (item === undefined) return removeOwned({ ...recordKeyOf(address), value: {} }, removal)
  const record = decoded(item, fromRecordItem)
  if (record === undefined) return removeItems([address], removal)
  const { tenant, type, id, value, version } = record
  if (!removal.kept.has(type)) await closePage(record)
  const owner = { tenant, type, id, value }
  await removeOwned(owner, removal)
  if (removal.kept.has(type)) return
  const entries = [...indexEntries(record, { bare: true }).values()].filter(({ pk }) => pk?.S !== through)
  await removeItems(entries.map(addressOf), removal)
  const isSame = { anyOf: [{ absent: ['pk'] }, { equals: { version: { N: String(version) } } }] }
  const isRemoved = await removal.run.remove(1, () => removeIf(address, isSame))
  // A change while it was removed: its new entries are removed, too.
  if (!isRemoved) return removeRecordAt(address, through, removal)
  // What was added to it meanwhile: nothing leads to that any more.
  await removeOwned(owner, removal)
}
