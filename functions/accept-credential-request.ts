/** AcceptCredentialRequest: issues a credential that was offered and requested. */
import '../lib/agent/compose.ts'
import { acceptRequest } from '../lib/agent/exchanges/credentials/index.ts'
import { command } from '../lib/http/command.ts'
import { AcceptCredentialRequest } from '../lib/interface/credential-exchanges.ts'

export const acceptCredentialRequest = command(AcceptCredentialRequest, ({ body }) => acceptRequest(body))
