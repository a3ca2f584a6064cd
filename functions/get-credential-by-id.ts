/** GetCredentialById: returns a credential exchange record, in one read. */

import { query } from '../lib/http/query.ts'
import { GetCredentialById } from '../lib/interface/credentials.ts'
import { credentialRecords } from '../lib/records/kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getCredentialById = query(GetCredentialById, ({ agent, path }) =>
  showRecord(agent, credentialRecords, path.credentialRecordId),
)
