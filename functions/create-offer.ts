/** CreateOffer: offers a credential over a connection. */
import '../lib/agent/compose.ts'
import { offerCredential } from '../lib/agent/exchanges/credentials/index.ts'
import { command } from '../lib/http/command.ts'
import { CreateOffer } from '../lib/interface/credential-offer.ts'

export const createOffer = command(CreateOffer, ({ body }) => offerCredential(body))
