/** AcceptConnectionResponse: accepts the response to a connection request of the agent. */
import { acceptResponse } from '../lib/agent/connections/handshake-steps.ts'
import { command } from '../lib/http/command.ts'
import { AcceptConnectionResponse } from '../lib/interface/connections.ts'

export const acceptConnectionResponse = command(AcceptConnectionResponse, ({ path }) =>
  acceptResponse(path.connectionId),
)
