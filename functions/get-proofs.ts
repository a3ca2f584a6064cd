/** GetProofs: lists the proof exchanges of the token's agent. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetProofs } from '../lib/interface/proofs.ts'
import { proofRecords } from '../lib/records/kinds.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getProofs = query(GetProofs, async ({ agent, query }) => {
  const page = await listFiltered(agent, proofRecords, query)
  return pageOf(page, proofRecords.view, { path: GetProofs.path, query })
})
