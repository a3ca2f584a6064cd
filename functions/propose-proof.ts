/** ProposeProof: sends a proof proposal to a connection. */
import { proposeProof as propose } from '../lib/agent/proofs/proposals.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { ProposeProof } from '../lib/interface/proof-exchanges.ts'

export const proposeProof = defineOperation(ProposeProof, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => propose(body),
  inTransaction,
})
