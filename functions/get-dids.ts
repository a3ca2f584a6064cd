/** GetDids: lists the public DIDs of the token's agent. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetDids } from '../lib/interface/dids.ts'
import { didRecords, PUBLIC_DID } from '../lib/records/kinds.ts'
import { tagPartition } from '../lib/store/index-entries.ts'
import { listRecords } from '../lib/store/record-reads.ts'

export const getDids = query(GetDids, async ({ agent, query }) => {
  const page = await listRecords(tagPartition(agent, didRecords, PUBLIC_DID, 'true'), query)
  return pageOf(page, didRecords.view, { path: GetDids.path, query })
})
