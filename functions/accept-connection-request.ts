/** AcceptConnectionRequest: accepts a received connection request. */
import { acceptRequest } from '../lib/agent/connections/handshake-steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { AcceptConnectionRequest } from '../lib/interface/connections.ts'

export const acceptConnectionRequest = defineOperation(AcceptConnectionRequest, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path }) => acceptRequest(path.connectionId),
  inTransaction,
})
