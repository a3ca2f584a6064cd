/** GetProofs: lists the proof exchanges of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetProofs } from '../lib/interface/proofs.ts'
import { proofRecords } from '../lib/records/kinds.ts'

export const getProofs = listOf(proofRecords, GetProofs)
