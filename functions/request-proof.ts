/** RequestProof: sends a proof request to a connection. */
import { requestProof as ask } from '../lib/agent/proofs/requests.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { RequestProof } from '../lib/interface/proof-request.ts'

export const requestProof = defineOperation(RequestProof, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => ask(body),
  inTransaction,
})
