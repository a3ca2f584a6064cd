/** GetW3cCredentialById: returns a credential that the token's agent holds, in one read. */

import { query } from '../lib/http/query.ts'
import { GetW3cCredentialById } from '../lib/interface/w3c-credentials.ts'
import { w3cCredentialRecords } from '../lib/records/kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getW3cCredentialById = query(GetW3cCredentialById, ({ agent, path }) =>
  showRecord(agent, w3cCredentialRecords, path.w3cCredentialRecordId),
)
