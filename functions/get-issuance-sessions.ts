/** GetIssuanceSessions: lists the issuance sessions of the token's agent, the newest first. */
import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetIssuanceSessions } from '../lib/interface/openid4vci.ts'
import { issuanceSessionRecords as records } from '../lib/records/openid-kinds.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getIssuanceSessions = query(GetIssuanceSessions, async ({ agent, query }) => {
  const { publicIssuerId: issuerId, ...page } = query
  const list = await listFiltered(agent, records, { ...page, issuerId })
  return pageOf(list, records.view, { path: GetIssuanceSessions.path, query })
})
