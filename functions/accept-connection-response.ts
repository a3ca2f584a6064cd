/** AcceptConnectionResponse: accepts the response to a connection request of the agent. */
import '../lib/agent/compose.ts'
import { acceptResponse } from '../lib/agent/invitations/index.ts'
import { command } from '../lib/http/command.ts'
import { AcceptConnectionResponse } from '../lib/interface/connections.ts'

export const acceptConnectionResponse = command(AcceptConnectionResponse, ({ path }) =>
  acceptResponse(path.connectionId),
)
