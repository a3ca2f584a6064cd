/** CreateOffer: offers a credential over a connection. */
import { offerCredential } from '../lib/agent/credentials/offers.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { CreateOffer } from '../lib/interface/credential-offer.ts'

export const createOffer = defineOperation(CreateOffer, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => offerCredential(body),
  inTransaction,
})
