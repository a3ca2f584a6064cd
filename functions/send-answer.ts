/** SendAnswer: commits the answer to a received question together with its message. */
import '../lib/agent/compose-sending.ts'
import { sendAnswer as answer } from '../lib/agent/messages/index.ts'
import { command } from '../lib/http/command.ts'
import { SendAnswer } from '../lib/interface/question-answer.ts'

export const sendAnswer = command(SendAnswer, ({ path, body }) => answer(path.questionAnswerId, body.response))
