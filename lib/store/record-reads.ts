/** Reads of records outside of a unit of work: one read, no Credo. */
import { AgentError } from '../errors.ts'
import { tagPartition } from './index-entries.ts'
import { type ListQuery, listItems } from './item-list.ts'
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

/** One page of a list (entries with copies, see index-entries.ts), as `listItems` makes it. */
export const listRecords = async (partition: string, query: ListQuery, passes?: ListFilter): Promise<ListPage> => {
  const show = (item: Item): ReadRecord | undefined => {
    // What became of a message whose record is gone.
    if (!hasContent(item)) return undefined
    const record = toStoredRecord(item, recordOfEntry(addressOf(item)))
    return (passes?.(record) ?? true) ? record : undefined
  }
  const { entries, next } = await listItems(partition, query, { show, filtered: passes !== undefined })
  return next === undefined ? { records: entries } : { records: entries, next }
}
