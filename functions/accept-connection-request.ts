/** AcceptConnectionRequest: accepts a received connection request. */
import '../lib/agent/compose.ts'
import { acceptRequest } from '../lib/agent/invitations/index.ts'
import { command } from '../lib/http/command.ts'
import { AcceptConnectionRequest } from '../lib/interface/connections.ts'

export const acceptConnectionRequest = command(AcceptConnectionRequest, ({ path }) => acceptRequest(path.connectionId))
