/** SendMessage: commits a basic message with its outbox items before the response. */
import '../lib/agent/compose-sending.ts'
import { sendBasicMessage } from '../lib/agent/messages/index.ts'
import { command } from '../lib/http/command.ts'
import { SendMessage } from '../lib/interface/basic-messages.ts'

export const sendMessage = command(SendMessage, ({ path, body }) => sendBasicMessage(path.connectionId, body.content))
