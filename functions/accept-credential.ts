/** AcceptCredential: acknowledges a received credential. */
import { acknowledgeCredential } from '../lib/agent/credentials/steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { AcceptCredential } from '../lib/interface/credential-exchanges.ts'

export const acceptCredential = defineOperation(AcceptCredential, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => acknowledgeCredential(body),
  inTransaction,
})
