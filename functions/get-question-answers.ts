/** GetQuestionAnswers: lists the questions of the token's agent. */

import { query } from '../lib/http/query.ts'
import { pageOf } from '../lib/http/request.ts'
import { GetQuestionAnswers } from '../lib/interface/question-answer.ts'
import { questionAnswerRecords } from '../lib/records/kinds.ts'
import { listFiltered } from '../lib/store/record-lists.ts'

export const getQuestionAnswers = query(GetQuestionAnswers, async ({ agent, query }) => {
  const page = await listFiltered(agent, questionAnswerRecords, query)
  return pageOf(page, questionAnswerRecords.view, { path: GetQuestionAnswers.path, query })
})
