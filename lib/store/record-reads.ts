/** Reads records without a unit of work and without Credo. */
import { AgentError } from '../errors.ts'
import type { RecordDefinition } from '../records/define-record.ts'
import type { RecordJson } from '../records/record-json.ts'
import { tagPartition } from './index-entries.ts'
import { type ListedPage, type ListQuery, type ListView, listItems } from './item-list.ts'
import { recordAddress, recordOfEntry } from './keys.ts'
import { fromRecordItem, hasContent, type StoredRecord, toStoredRecord } from './stored-record.ts'
import { addressOf, getItem, getItems, type Item, queryAll, queryPage } from './table.ts'

export type { ListQuery } from './item-list.ts'

export type ReadRecord = Pick<StoredRecord, 'value' | 'tags' | 'delivery'>

/** A record of a tenant, as the API shows it. Throws `resource.not_found`, also for another tenant's record. */
export const showRecord = async (tenant: string, { type, view }: RecordDefinition, id: string): Promise<RecordJson> =>
  view(await requireRecord(tenant, type, id))

/** A record of a tenant. Throws `resource.not_found`, also for another tenant's record. */
export const requireRecord = async (tenant: string, type: string, id: string): Promise<ReadRecord> => {
  const item = await getItem(recordAddress(tenant, type, id))
  if (item === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  return fromRecordItem(item)
}

/** All records with a tag value, by an index without copies. */
export const readTagged = async (
  tenant: string,
  records: RecordDefinition,
  tag: string,
  value: string,
): Promise<ReadRecord[]> => {
  const entries = await queryAll(tagPartition(tenant, records, tag, value))
  const items = await getItems(entries.map((entry) => recordOfEntry(addressOf(entry))))
  return items.map(fromRecordItem)
}

export type ListPage = ListedPage<ReadRecord>

/** Whether to show a record in a list. */
export type ListFilter = (record: ReadRecord) => boolean

/**
 * A filter by fields as the API shows them, or by tags where a record has no such field, unchanged or in the form of
 * their index; undefined without filters.
 */
export const filterBy = (
  { indexes, view }: Pick<RecordDefinition, 'indexes' | 'view'>,
  filters: Readonly<Record<string, unknown>>,
): ListFilter | undefined => {
  const expected = Object.entries(filters).filter(([, one]) => one !== undefined)
  if (expected.length === 0) return undefined
  return (record) => {
    const shown = view(record)
    return expected.every(([name, one]) => {
      const known = shown[name] ?? record.tags[name]
      const { form = String } = indexes[name] ?? {}
      return known !== undefined && (known === one || form(String(known)) === one || known === form(String(one)))
    })
  }
}

/** One page of an index with copies (index-entries.ts). See `listItems`. */
export const listRecords = (partition: string, query: ListQuery, filter?: ListFilter): Promise<ListPage> =>
  listItems((range) => queryPage(partition, range), query, viewOf(filter))

/** One page of an index whose entries may be without copies: a second request reads up to 100 records. */
export const listIndexed = (partition: string, query: ListQuery, filter?: ListFilter): Promise<ListPage> =>
  listItems((range) => queryPage(partition, range), query, { ...viewOf(filter), complete: withRecords })

const viewOf = (filter: ListFilter | undefined): ListView<ReadRecord> => ({
  show: (item) => {
    const record = toStoredRecord(item)
    return (filter?.(record) ?? true) ? record : undefined
  },
  filtered: filter !== undefined,
})

/** Adds the records to entries without copies. Leaves out entries of deleted records. */
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
