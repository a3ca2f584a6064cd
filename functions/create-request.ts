/** CreateRequest: creates a proof request in a single-use out-of-band invitation. */
import { createProofRequest } from '../lib/agent/proofs/requests.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { CreateRequest } from '../lib/interface/proof-request.ts'

export const createRequest = defineOperation(CreateRequest, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => createProofRequest(body),
  inTransaction,
})
