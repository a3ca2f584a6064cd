/** SendMessage: commits a basic message together with its delivery, before the answer. */
import { sendBasicMessage } from '../lib/agent/basic-messages.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { SendMessage } from '../lib/interface/basic-messages.ts'

export const sendMessage = defineOperation(SendMessage, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, body }) => sendBasicMessage(path.connectionId, body.content),
  inTransaction,
})
