/** GetQuestionAnswerById: returns the record of a question, in one read. */
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { GetQuestionAnswerById } from '../lib/interface/question-answer.ts'
import { QUESTION_ANSWER, toQuestionAnswerJson } from '../lib/records/question-answer.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getQuestionAnswerById = defineOperation(GetQuestionAnswerById, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: async ({ agent, path }) =>
    toQuestionAnswerJson(await requireRecord(agent, QUESTION_ANSWER, path.questionAnswerId)),
})
