/** AcceptConnectionRequest: accepts a received connection request. */
import { acceptRequest } from '../lib/agent/connections/handshake-steps.ts'
import { command } from '../lib/http/command.ts'
import { AcceptConnectionRequest } from '../lib/interface/connections.ts'

export const acceptConnectionRequest = command(AcceptConnectionRequest, ({ path }) => acceptRequest(path.connectionId))
