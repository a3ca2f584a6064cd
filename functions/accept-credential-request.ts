/** AcceptCredentialRequest: issues a credential that was offered and requested. */
import { acceptRequest } from '../lib/agent/credentials/steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { AcceptCredentialRequest } from '../lib/interface/credential-exchanges.ts'

export const acceptCredentialRequest = defineOperation(AcceptCredentialRequest, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => acceptRequest(body),
  inTransaction,
})
