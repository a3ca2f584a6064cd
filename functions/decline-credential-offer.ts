/** DeclineCredentialOffer: declines a received offer. */
import '../lib/agent/compose.ts'
import { declineOffer } from '../lib/agent/exchanges/credentials/index.ts'
import { command } from '../lib/http/command.ts'
import { DeclineCredentialOffer } from '../lib/interface/credential-exchanges.ts'

export const declineCredentialOffer = command(DeclineCredentialOffer, ({ body }) => declineOffer(body))
