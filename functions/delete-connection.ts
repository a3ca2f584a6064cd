/** DeleteConnection: deletes the record, and sends the other agent a hang-up in the same transaction. */
import { endConnection } from '../lib/agent/connections/messages.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { DeleteConnection } from '../lib/interface/connections.ts'

export const deleteConnection = defineOperation(DeleteConnection, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path }) => endConnection(path.connectionId),
  inTransaction,
})
