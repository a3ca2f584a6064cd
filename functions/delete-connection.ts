/** DeleteConnection: the hang-up to the other agent and the deletion of the record, committed together. */
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
