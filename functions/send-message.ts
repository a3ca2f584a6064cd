/** SendMessage: the basic message and its way to the wallet, committed together before the answer. */
import { sendBasicMessage } from '../lib/agent/basic-messages.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { defineCommand } from '../lib/http/command.ts'
import { SendMessage } from '../lib/interface/basic-messages.ts'

export const sendMessage = defineCommand(SendMessage, {
  authorize: ({ principal }) => actingAgent(principal),
  act: ({ path, body }) => sendBasicMessage(path.connectionId, body.content),
})
