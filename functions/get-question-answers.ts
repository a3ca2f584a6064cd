/** GetQuestionAnswers: lists the questions of the token's agent. */
import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetQuestionAnswers } from '../lib/interface/question-answer.ts'
import { QUESTION_ANSWER, toQuestionAnswerJson } from '../lib/records/question-answer.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getQuestionAnswers = query(GetQuestionAnswers, async ({ agent, query }) => {
  const page = await listFiltered(agent, QUESTION_ANSWER, query)
  return pageOf(page, toQuestionAnswerJson, { path: GetQuestionAnswers.path, query })
})
