/** GetDids: lists the public DIDs of the token's agent. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetDids } from '../lib/interface/dids.ts'
import { PUBLIC_DID, toDidJson } from '../lib/records/did.ts'
import { tagPartition } from '../lib/store/index-entries.ts'
import { listRecords } from '../lib/store/record-reads.ts'

export const getDids = defineOperation(GetDids, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { entries, next } = await listRecords(tagPartition(agent, 'DidRecord', PUBLIC_DID, 'true'), query)
    return pageOf(entries.map(toDidJson), { path: GetDids.path, query, next })
  },
})
