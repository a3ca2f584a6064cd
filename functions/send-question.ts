/** SendQuestion: commits a question together with its message, before the response. */
import '../lib/agent/compose-sending.ts'
import { sendQuestion as ask } from '../lib/agent/messages/index.ts'
import { command } from '../lib/http/command.ts'
import { SendQuestion } from '../lib/interface/question-answer.ts'

export const sendQuestion = command(SendQuestion, ({ path, body }) => ask(path.connectionId, body))
