/** ProposeCredential: sends a credential proposal to a connection. */
import { proposeCredential as propose } from '../lib/agent/credentials/proposals.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { ProposeCredential } from '../lib/interface/credential-exchanges.ts'

export const proposeCredential = defineOperation(ProposeCredential, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => propose(body),
  inTransaction,
})
