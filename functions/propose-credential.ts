/** ProposeCredential: sends a credential proposal to a connection. */
import { proposeCredential as propose } from '../lib/agent/credentials/proposals.ts'
import { command } from '../lib/http/command.ts'
import { ProposeCredential } from '../lib/interface/credential-exchanges.ts'

export const proposeCredential = command(ProposeCredential, ({ body }) => propose(body))
