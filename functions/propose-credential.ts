/** ProposeCredential: sends a credential proposal to a connection. */
import '../lib/agent/compose.ts'
import { proposeCredential as propose } from '../lib/agent/exchanges/credentials/index.ts'
import { command } from '../lib/http/command.ts'
import { ProposeCredential } from '../lib/interface/credential-exchanges.ts'

export const proposeCredential = command(ProposeCredential, ({ body }) => propose(body))
