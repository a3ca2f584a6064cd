/** GetProofById: returns a proof exchange record, in one read. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetProofById } from '../lib/interface/proofs.ts'
import { toProofJson } from '../lib/records/proof.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getProofById = defineOperation(GetProofById, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path }) => toProofJson(await requireRecord(agent, 'ProofRecord', path.proofRecordId)),
})
