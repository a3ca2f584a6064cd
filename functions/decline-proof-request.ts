/** DeclineProofRequest: declines a received proof request. */
import { declineProofRequest as decline } from '../lib/agent/proofs/steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { DeclineProofRequest } from '../lib/interface/proof-exchanges.ts'

export const declineProofRequest = defineOperation(DeclineProofRequest, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, body }) => decline(path.proofRecordId, body),
  inTransaction,
})
