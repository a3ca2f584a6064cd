/** GetQuestionAnswerById: returns the record of a question, in one read. */

import { query } from '../lib/http/query.ts'
import { GetQuestionAnswerById } from '../lib/interface/question-answer.ts'
import { questionAnswerRecords } from '../lib/records/kinds.ts'
import { showRecord } from '../lib/store/record-reads.ts'

export const getQuestionAnswerById = query(GetQuestionAnswerById, ({ agent, path }) =>
  showRecord(agent, questionAnswerRecords, path.questionAnswerId),
)
