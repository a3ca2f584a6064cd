/** SendAnswer: commits the answer to a received question together with its message. */
import { sendAnswer as answer } from '../lib/agent/question-answer.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { SendAnswer } from '../lib/interface/question-answer.ts'

export const sendAnswer = defineOperation(SendAnswer, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path, body }) => answer(path.questionAnswerId, body.response),
  inTransaction,
})
