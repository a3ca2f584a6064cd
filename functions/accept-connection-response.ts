/** AcceptConnectionResponse: accepts the response to a connection request of the agent. */
import { acceptResponse } from '../lib/agent/connections/handshake-steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { AcceptConnectionResponse } from '../lib/interface/connections.ts'

export const acceptConnectionResponse = defineOperation(AcceptConnectionResponse, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path }) => acceptResponse(path.connectionId),
  inTransaction,
})
