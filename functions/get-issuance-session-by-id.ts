/** GetIssuanceSessionById: returns an issuance session, in one read. */
import { query } from '../lib/http/query.ts'
import { GetIssuanceSessionById } from '../lib/interface/openid4vci.ts'
import { issuanceSessionRecords } from '../lib/records/openid-kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getIssuanceSessionById = query(GetIssuanceSessionById, ({ agent, path }) =>
  showRecord(agent, issuanceSessionRecords, path.issuanceSessionId),
)
