/** Reads of records outside of a unit of work: one read, no Credo. */
import { AgentError } from '../errors.ts'
import { tagPartition } from './index-entries.ts'
import { type ListQuery, type ListView, listItems } from './item-list.ts'
import { recordAddress, recordOfEntry } from './keys.ts'
import { fromRecordItem, hasContent, type StoredRecord, toStoredRecord } from './stored-record.ts'
import { addressOf, getItem, getItems, type Item, queryAll } from './table.ts'

export type { ListQuery } from './item-list.ts'

export type ReadRecord = Pick<StoredRecord, 'value' | 'tags' | 'delivery'>

/** A record of a tenant. Throws `resource.not_found`, also for another tenant's. */
export const requireRecord = async (tenant: string, type: string, id: string): Promise<ReadRecord> => {
  const item = await getItem(recordAddress(tenant, type, id))
  if (item === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  return fromRecordItem(item)
}

/** All records with this tag value, through an index whose entries carry no copy. */
export const readTagged = async (tenant: string, type: string, tag: string, value: string): Promise<ReadRecord[]> => {
  const entries = await queryAll(tagPartition(tenant, type, tag, value))
  const items = await getItems(entries.map((entry) => recordOfEntry(addressOf(entry))))
  return items.map(fromRecordItem)
}

export interface ListPage {
  records: ReadRecord[]
  /** Cursor of the next page; absent when there is no more. */
  next?: string
}

/** Which records of a list to show. */
export type ListFilter = (record: ReadRecord) => boolean

/** The filter for records whose fields, or tags where they have no such field, are these; undefined where none is asked for: all pass. */
export const filterBy = (filters: Readonly<Record<string, string | undefined>>): ListFilter | undefined => {
  const wanted = Object.entries(filters).filter(([, one]) => one !== undefined)
  if (wanted.length === 0) return undefined
  return ({ value, tags }) => wanted.every(([name, one]) => (value[name] ?? tags[name]) === one)
}

/** One page of a list (entries with copies, see index-entries.ts), as `listItems` makes it. */
export const listRecords = (partition: string, query: ListQuery, passes?: ListFilter): Promise<ListPage> =>
  pageOfRecords(partition, query, viewOf(passes))

/** The same of an index whose entries may carry no copies: the records are read by one request more, at most 100 of them for one page. */
export const listIndexed = (partition: string, query: ListQuery, passes?: ListFilter): Promise<ListPage> =>
  pageOfRecords(partition, query, { ...viewOf(passes), complete: withRecords })

const viewOf = (passes: ListFilter | undefined): ListView<ReadRecord> => ({
  show: (item) => {
    // What became of a message whose record is gone.
    if (!hasContent(item)) return undefined
    const record = toStoredRecord(item, recordOfEntry(addressOf(item)))
    return (passes?.(record) ?? true) ? record : undefined
  },
  filtered: passes !== undefined,
})

const pageOfRecords = async (partition: string, query: ListQuery, view: ListView<ReadRecord>): Promise<ListPage> => {
  const { entries, next } = await listItems(partition, query, view)
  return next === undefined ? { records: entries } : { records: entries, next }
}

/** The entries with what their records hold. One whose record was deleted since is left out. */
const withRecords = async (entries: Item[]): Promise<Item[]> => {
  const bare = entries.filter((entry) => !hasContent(entry))
  const items = await getItems(bare.map((entry) => recordOfEntry(addressOf(entry))))
  const records = new Map(items.map((item) => [addressOf(item).pk, item]))
  return entries.flatMap((entry) => {
    if (hasContent(entry)) return [entry]
    const record = records.get(recordOfEntry(addressOf(entry)).pk)
    return record === undefined ? [] : [{ ...record, ...entry }]
  })
}
