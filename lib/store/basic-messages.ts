/** The list of messages of a connection: their records and what has become of them are one partition. */
import { tagPartition } from './index-entries.ts'
import { type ListPage, type ListQuery, listRecords, requireRecord } from './record-reads.ts'

/** One page, in two requests side by side. Throws `resource.not_found` for an unknown connection, also for another tenant's. */
export const listBasicMessages = async (tenant: string, connectionId: string, query: ListQuery): Promise<ListPage> => {
  const [page] = await Promise.all([
    listRecords(tagPartition(tenant, 'BasicMessageRecord', 'connectionId', connectionId), query),
    requireRecord(tenant, 'ConnectionRecord', connectionId),
  ])
  return page
}
