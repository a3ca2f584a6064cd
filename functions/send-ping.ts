/** SendPing: sends a trust ping to a connection. */
import { sendTrustPing } from '../lib/agent/connections/messages.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { SendPing } from '../lib/interface/connections.ts'

export const sendPing = defineOperation(SendPing, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, body }) => sendTrustPing(path.connectionId, body),
  inTransaction,
})
