/** GetStatusRevocation: returns the progress of a revocation of many issuance sessions. */
import { query } from '../lib/http/query.ts'
import { GetStatusRevocation } from '../lib/interface/openid4vci.ts'
import { statusRevocationRecords } from '../lib/records/openid-kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getStatusRevocation = query(GetStatusRevocation, ({ agent, path }) =>
  showRecord(agent, statusRevocationRecords, path.revocationId),
)
