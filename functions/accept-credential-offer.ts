/** AcceptCredentialOffer: accepts a received offer and requests the credential. */
import { acceptOffer } from '../lib/agent/credentials/steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { AcceptCredentialOffer } from '../lib/interface/credential-exchanges.ts'

export const acceptCredentialOffer = defineOperation(AcceptCredentialOffer, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => acceptOffer(body),
  inTransaction,
})
