/** GetConnections: the connections of the token's agent, a page at a time. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetConnections } from '../lib/interface/connections.ts'
import { toConnectionJson } from '../lib/records/connection.ts'
import { everyPartition, tagPartition } from '../lib/store/index-entries.ts'
import { listRecords, type ReadRecord } from '../lib/store/record-reads.ts'

type Filters = { outOfBandId?: string | undefined; theirDid?: string | undefined; state?: string | undefined }

export const getConnections = defineOperation(GetConnections, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { outOfBandId, theirDid, state, ...paging } = query
    const filters = { outOfBandId, theirDid, state }
    const page = await listRecords(partitionOf(agent, filters), paging, (record) => passes(record, filters))
    return pageOf(page.records.map(toConnectionJson), { path: GetConnections.path, query, next: page.next })
  },
})

/** The shortest list that holds every match. */
const partitionOf = (tenant: string, { outOfBandId, theirDid }: Filters): string => {
  if (outOfBandId !== undefined) return tagPartition(tenant, 'ConnectionRecord', 'outOfBandId', outOfBandId)
  if (theirDid !== undefined) return tagPartition(tenant, 'ConnectionRecord', 'theirDid', theirDid)
  return everyPartition(tenant, 'ConnectionRecord')
}

const passes = ({ tags }: ReadRecord, filters: Filters): boolean =>
  Object.entries(filters).every(([tag, wanted]) => wanted === undefined || tags[tag] === wanted)
