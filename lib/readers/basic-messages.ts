/** Lists the messages of a connection. Records and their deliveries are in one partition. */
import { basicMessageRecords, connectionRecords } from '../records/kinds.ts'
import { tagPartition } from '../store/index-entries.ts'
import { type ListPage, type ListQuery, listRecords, requireRecord } from '../store/record-reads.ts'

/** One page, in two concurrent requests. Throws `resource.not_found` for an unknown connection or another tenant's. */
export const listBasicMessages = async (tenant: string, connectionId: string, query: ListQuery): Promise<ListPage> => {
  const [page] = await Promise.all([
    listRecords(tagPartition(tenant, basicMessageRecords, 'connectionId', connectionId), query),
    requireRecord(tenant, connectionRecords.type, connectionId),
  ])
  return page
}
