/** GetVerificationSessions: lists the verification sessions of the token's agent, the newest first. */
import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetVerificationSessions } from '../lib/interface/openid4vp.ts'
import { verificationSessionRecords as records } from '../lib/records/openid-kinds.ts'
import { everyPartition } from '../lib/store/index-entries.ts'
import { filterBy, listRecords } from '../lib/store/record-reads.ts'

export const getVerificationSessions = query(GetVerificationSessions, async ({ agent, query }) => {
  const { publicVerifierId: verifierId, state, ...page } = query
  const matches = filterBy(records, { verifierId, state })
  // As it is shown: a session may have ended by the time alone.
  const filter =
    matches && ((record: Parameters<typeof matches>[0]) => matches({ ...record, value: records.view(record) }))
  const list = await listRecords(everyPartition(agent, records.type), page, filter)
  return pageOf(list, records.view, { path: GetVerificationSessions.path, query })
})
