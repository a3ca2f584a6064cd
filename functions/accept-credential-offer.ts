/** AcceptCredentialOffer: accepts a received offer and requests the credential. */
import '../lib/agent/compose.ts'
import { acceptOffer } from '../lib/agent/exchanges/credentials/index.ts'
import { command } from '../lib/http/command.ts'
import { AcceptCredentialOffer } from '../lib/interface/credential-exchanges.ts'

export const acceptCredentialOffer = command(AcceptCredentialOffer, ({ body }) => acceptOffer(body))
