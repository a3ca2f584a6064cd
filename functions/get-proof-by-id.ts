/** GetProofById: returns a proof exchange record, in one read. */

import { query } from '../lib/http/query.ts'
import { GetProofById } from '../lib/interface/proofs.ts'
import { proofRecords } from '../lib/records/kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getProofById = query(GetProofById, ({ agent, path }) =>
  showRecord(agent, proofRecords, path.proofRecordId),
)
