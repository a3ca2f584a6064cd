/** Lists of an agent's credential and proof exchanges, with filters. */
import { everyPartition, tagPartition } from './index-entries.ts'
import { filterBy, type ListPage, type ListQuery, listIndexed, listRecords } from './record-reads.ts'

export type ExchangeFilters = Partial<
  Record<'threadId' | 'parentThreadId' | 'connectionId' | 'state' | 'role', string | undefined>
>

/** Filters with an index, the most selective first. */
const INDEXED = ['threadId', 'parentThreadId', 'connectionId'] as const

/** One page of a tenant's exchanges, from the most selective index. `type`: Credo's record type. */
export const listExchanges = (
  tenant: string,
  type: 'CredentialRecord' | 'ProofRecord',
  { limit, order, cursor, ...filters }: ListQuery & ExchangeFilters,
): Promise<ListPage> => {
  const paging = { limit, order, cursor }
  const passes = filterBy(filters)
  for (const tag of INDEXED) {
    const value = filters[tag]
    if (value !== undefined) return listIndexed(tagPartition(tenant, type, tag, value), paging, passes)
  }
  return listRecords(everyPartition(tenant, type), paging, passes)
}
