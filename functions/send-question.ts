/** SendQuestion: commits a question together with its message, before the answer. */
import { sendQuestion as ask } from '../lib/agent/question-answer.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { SendQuestion } from '../lib/interface/question-answer.ts'

export const sendQuestion = defineOperation(SendQuestion, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, body }) => ask(path.connectionId, body),
  inTransaction,
})
