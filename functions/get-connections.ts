/** GetConnections: the connections of the token's agent, a page at a time. */
import type * as v from 'valibot'
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetConnections } from '../lib/interface/connections.ts'
import type { Paging } from '../lib/interface/fields.ts'
import { toConnectionJson } from '../lib/records/connection.ts'
import { everyPartition, tagPartition } from '../lib/store/index-entries.ts'
import { filterBy, listRecords } from '../lib/store/record-reads.ts'

type Filters = Omit<v.InferOutput<typeof GetConnections.parameters.query>, keyof Paging>

export const getConnections = defineOperation(GetConnections, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { limit, cursor, order, ...filters } = query
    const { myDid: did, ...fields } = filters
    const page = await listRecords(partitionOf(agent, filters), { limit, cursor, order }, filterBy({ ...fields, did }))
    return pageOf(page.records.map(toConnectionJson), { path: GetConnections.path, query, next: page.next })
  },
})

/** The shortest list that holds every match. */
const partitionOf = (tenant: string, { outOfBandId, theirDid, myDid, alias }: Filters): string => {
  const lists = { outOfBandId, theirDid, did: myDid, alias }
  for (const [tag, value] of Object.entries(lists))
    if (value !== undefined) return tagPartition(tenant, 'ConnectionRecord', tag, value)
  return everyPartition(tenant, 'ConnectionRecord')
}
