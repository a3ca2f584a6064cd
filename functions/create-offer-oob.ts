/** CreateOfferOob: offers a credential in a single-use out-of-band invitation. */
import '../lib/agent/compose.ts'
import { offerCredentialOutOfBand } from '../lib/agent/exchanges/credentials/index.ts'
import { command } from '../lib/http/command.ts'
import { CreateOfferOob } from '../lib/interface/credential-offer.ts'

export const createOfferOob = command(CreateOfferOob, ({ body }) => offerCredentialOutOfBand(body))
