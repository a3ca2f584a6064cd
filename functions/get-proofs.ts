/** GetProofs: lists the proof exchanges of the token's agent. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetProofs } from '../lib/interface/proofs.ts'
import { toProofJson } from '../lib/records/proof.ts'
import { listExchanges } from '../lib/store/exchange-list.ts'

export const getProofs = defineOperation(GetProofs, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, query }) => {
    const { entries, next } = await listExchanges(agent, 'ProofRecord', query)
    return pageOf(entries.map(toProofJson), { path: GetProofs.path, query, next })
  },
})
