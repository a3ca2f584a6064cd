/** AcceptCredentialProposal: answers a received proposal with an offer. */
import { acceptProposal } from '../lib/agent/credentials/proposals.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { checkOffered } from '../lib/interface/credential-answer.ts'
import { AcceptCredentialProposal } from '../lib/interface/credential-exchanges.ts'

export const acceptCredentialProposal = defineOperation(AcceptCredentialProposal, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => acceptProposal(body, checkOffered),
  inTransaction,
})
