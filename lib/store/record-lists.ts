/** Lists of an agent's records, with filters. */
import type { RecordDefinition } from '../records/define-record.ts'
import { everyPartition, hasCopies, tagPartition } from './index-entries.ts'
import { filterBy, type ListPage, type ListQuery, listIndexed, listRecords } from './record-reads.ts'

/**
 * One page of a tenant's records whose fields or tags have the values of the query, from the shortest list that has
 * them all.
 */
export const listFiltered = (
  tenant: string,
  records: RecordDefinition,
  { limit, order, cursor, ...filters }: ListQuery & Record<string, unknown>,
): Promise<ListPage> => {
  const tag = records.lists?.find((name) => typeof filters[name] === 'string')
  const partition =
    tag === undefined ? everyPartition(tenant, records.type) : tagPartition(tenant, records, tag, String(filters[tag]))
  const list = hasCopies(records, tag) ? listRecords : listIndexed
  return list(partition, { limit, order, cursor }, filterBy(records, filters))
}
