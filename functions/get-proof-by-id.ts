/** GetProofById: returns a proof exchange record, in one read. */
import { query } from '../lib/http/query.ts'
import { GetProofById } from '../lib/interface/proofs.ts'
import { toProofJson } from '../lib/records/proof.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getProofById = query(GetProofById, async ({ agent, path }) =>
  toProofJson(await requireRecord(agent, 'ProofRecord', path.proofRecordId)),
)
