/** GetConnections: lists the connections of the token's agent. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetConnections } from '../lib/interface/connections.ts'
import { connectionRecords } from '../lib/records/kinds.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getConnections = query(GetConnections, async ({ agent, query }) => {
  const { myDid, ...others } = query
  const page = await listFiltered(agent, connectionRecords, { ...others, did: myDid })
  return pageOf(page, connectionRecords.view, { path: GetConnections.path, query })
})
