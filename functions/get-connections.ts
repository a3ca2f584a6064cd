/** GetConnections: lists the connections of the token's agent. */
import type * as v from 'valibot'
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetConnections } from '../lib/interface/connections.ts'
import type { Paging } from '../lib/interface/fields.ts'
import { toConnectionJson } from '../lib/records/connection.ts'
import { knownSpelling } from '../lib/store/did-spelling.ts'
import { everyPartition, tagPartition } from '../lib/store/index-entries.ts'
import { filterBy, listRecords } from '../lib/store/record-reads.ts'

type Asked = v.InferOutput<typeof GetConnections.parameters.query>

type Filters = Omit<Asked, keyof Paging | 'myDid'> & { did: Asked['myDid'] }

export const getConnections = defineOperation(GetConnections, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { limit, cursor, order, ...asked } = query
    const [theirDid, did] = await Promise.all([knownSpelling(agent, asked.theirDid), knownSpelling(agent, asked.myDid)])
    const { myDid: _, ...filters } = { ...asked, theirDid, did }
    const page = await listRecords(partitionOf(agent, filters), { limit, cursor, order }, filterBy(filters))
    return pageOf(page.entries.map(toConnectionJson), { path: GetConnections.path, query, next: page.next })
  },
})

/** The shortest list that contains all matches. */
const partitionOf = (tenant: string, { outOfBandId, theirDid, did, alias }: Filters): string => {
  const lists = { outOfBandId, theirDid, did, alias }
  for (const [tag, value] of Object.entries(lists))
    if (value !== undefined) return tagPartition(tenant, 'ConnectionRecord', tag, value)
  return everyPartition(tenant, 'ConnectionRecord')
}
