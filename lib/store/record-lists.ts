/** Lists of an agent's records, with filters. */
import type { RecordDefinition } from '../records/define-record.ts'
import { allRecordsPartition, hasCopies, tagPartition } from './index-entries.ts'
import { filterBy, type ListPage, type ListQuery, listIndexed, listRecords } from './record-reads.ts'

/** One page of a tenant's records whose fields or tags have the values of the query. Reads the index of one of them. */
export const listFiltered = (
  tenant: string,
  records: RecordDefinition,
  { limit, order, cursor, ...query }: ListQuery & Record<string, unknown>,
): Promise<ListPage> => {
  const { filters: names = {}, lists, listTag, type } = records
  const filters = Object.fromEntries(Object.entries(query).map(([name, value]) => [names[name] ?? name, value]))
  const tag = lists?.find((name) => typeof filters[name] === 'string') ?? listTag
  const partition =
    tag === undefined
      ? allRecordsPartition(tenant, type)
      : tagPartition(tenant, records, tag, String(filters[tag] ?? true))
  const list = hasCopies(records, tag) ? listRecords : listIndexed
  return list(partition, { limit, order, cursor }, filterBy(records, filters))
}
