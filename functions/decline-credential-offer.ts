/** DeclineCredentialOffer: declines a received offer. */
import { declineOffer } from '../lib/agent/credentials/steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { DeclineCredentialOffer } from '../lib/interface/credential-exchanges.ts'

export const declineCredentialOffer = defineOperation(DeclineCredentialOffer, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => declineOffer(body),
  inTransaction,
})
