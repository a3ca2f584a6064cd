/** AcceptCredential: acknowledges a received credential. */
import '../lib/agent/compose.ts'
import { acknowledgeCredential } from '../lib/agent/exchanges/credentials/index.ts'
import { command } from '../lib/http/command.ts'
import { AcceptCredential } from '../lib/interface/credential-exchanges.ts'

export const acceptCredential = command(AcceptCredential, ({ body }) => acknowledgeCredential(body))
