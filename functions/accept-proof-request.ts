/** AcceptProofRequest: sends a presentation for a received proof request. */
import { acceptProofRequest as accept } from '../lib/agent/proofs/steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { AcceptProofRequest } from '../lib/interface/proof-exchanges.ts'

export const acceptProofRequest = defineOperation(AcceptProofRequest, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, body }) => accept(path.proofRecordId, body),
  inTransaction,
})
