/** GetQuestionAnswerById: returns the record of a question, in one read. */
import { query } from '../lib/http/query.ts'
import { GetQuestionAnswerById } from '../lib/interface/question-answer.ts'
import { QUESTION_ANSWER, toQuestionAnswerJson } from '../lib/records/question-answer.ts'
import { requireRecord } from '../lib/store/record-reads.ts'

export const getQuestionAnswerById = query(GetQuestionAnswerById, async ({ agent, path }) =>
  toQuestionAnswerJson(await requireRecord(agent, QUESTION_ANSWER, path.questionAnswerId)),
)
