/** CreateOfferOob: offers a credential in a single-use out-of-band invitation. */
import { offerCredentialOutOfBand } from '../lib/agent/credentials/offers.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { CreateOfferOob } from '../lib/interface/credential-offer.ts'

export const createOfferOob = defineOperation(CreateOfferOob, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => offerCredentialOutOfBand(body),
  inTransaction,
})
