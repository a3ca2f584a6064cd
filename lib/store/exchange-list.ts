/** Lists of credential and proof exchanges: all of an agent, or those that filters choose. */
import { everyPartition, tagPartition } from './index-entries.ts'
import { type ListPage, type ListQuery, listIndexed, listRecords, type ReadRecord } from './record-reads.ts'

export interface ExchangeFilters {
  threadId?: string | undefined
  parentThreadId?: string | undefined
  connectionId?: string | undefined
  state?: string | undefined
  role?: string | undefined
}

/** Filters with an index, the one that chooses most first. */
const INDEXED = ['threadId', 'parentThreadId', 'connectionId'] as const

/** One page of a tenant's exchanges, by the shortest list that holds every match. `type`: Credo's record type. */
export const listExchanges = (
  tenant: string,
  type: 'CredentialRecord' | 'ProofRecord',
  { limit, order, cursor, ...filters }: ListQuery & ExchangeFilters,
): Promise<ListPage> => {
  const paging = { limit, order, cursor }
  const passes = passesFor(filters)
  for (const tag of INDEXED) {
    const value = filters[tag]
    if (value !== undefined) return listIndexed(tagPartition(tenant, type, tag, value), paging, passes)
  }
  return listRecords(everyPartition(tenant, type), paging, passes)
}

/** `state` and `role` are fields of the record, and not tags of every type. */
const passesFor = (filters: ExchangeFilters): ((record: ReadRecord) => boolean) | undefined => {
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined)
  return wanted.length === 0
    ? undefined
    : ({ value, tags }) => wanted.every(([name, one]) => (value[name] ?? tags[name]) === one)
}
