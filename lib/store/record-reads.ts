/** Reads of records outside of a unit of work: one read, no Credo. */
import { AgentError } from '../errors.ts'
import { recordAddress } from './address.ts'
import { openCursor, signCursor } from './cursor.ts'
import { recordOfEntry, tagPartition } from './index-entries.ts'
import { fromRecordItem, type StoredRecord, toStoredRecord } from './stored-record.ts'
import { getItem, getItems, queryAll, queryPage } from './table.ts'

export type ReadRecord = Pick<StoredRecord, 'value' | 'tags'>

/** A record of a tenant. Throws `resource.not_found`, also for another tenant's. */
export const requireRecord = async (tenant: string, type: string, id: string): Promise<ReadRecord> => {
  const item = await getItem(recordAddress(tenant, type, id))
  if (item === undefined) throw new AgentError('resource.not_found', 'there is no such record')
  return fromRecordItem(item)
}

/** All records with this tag value, through an index whose entries carry no copy. */
export const readTagged = async (tenant: string, type: string, tag: string, value: string): Promise<ReadRecord[]> => {
  const entries = await queryAll(tagPartition(tenant, type, tag, value))
  const items = await getItems(entries.map(recordOfEntry))
  return items.map(fromRecordItem)
}

export interface ListQuery {
  /** Records at most, 1 to 1000. */
  limit: number
  /** `desc`: the newest first. */
  order: 'asc' | 'desc'
  cursor?: string | undefined
}

export interface ListPage {
  records: ReadRecord[]
  /** Cursor of the next page; absent when there is no more. */
  next?: string
}

/** Pages read for one answer at most, so that a filter that nothing passes ends. */
const MOST_READS = 10

/** Which records of a list to show; `name` binds cursors to it. */
export interface ListFilter {
  name: string
  passes: (record: ReadRecord) => boolean
}

/**
 * One page of a list (entries with copies, see index-entries.ts), oldest first. It may be shorter than the limit and have a next one: it also
 * ends at 1 MB. Throws `request.malformed` for a cursor that is not of this tenant, list, filter and order.
 */
export const listRecords = async (
  partition: string,
  { limit, order, cursor }: ListQuery,
  filter?: ListFilter,
): Promise<ListPage> => {
  const scope = `${partition} ${order} ${filter?.name ?? ''}`
  const shown: { record: ReadRecord; position: string }[] = []
  let after = cursor === undefined ? undefined : await openCursor(scope, cursor)
  for (let reads = 0; reads < MOST_READS && shown.length <= limit; reads++) {
    const page = await queryPage(partition, {
      // One more than asked for tells whether there is a next page.
      limit: limit + 1 - shown.length,
      descending: order === 'desc',
      ...(after === undefined ? {} : { after }),
    })
    for (const item of page.items) {
      const record = toStoredRecord(item, recordOfEntry(item))
      if (filter?.passes(record) ?? true) shown.push({ record, position: item.sk?.S ?? '' })
    }
    after = page.next
    if (after === undefined || filter === undefined) break
  }
  const records = shown.slice(0, limit).map(({ record }) => record)
  const next = shown.length > limit ? shown[limit - 1]?.position : after
  return next === undefined ? { records } : { records, next: await signCursor(scope, next) }
}
