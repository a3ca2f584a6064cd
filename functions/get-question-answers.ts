/** GetQuestionAnswers: lists the questions of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetQuestionAnswers } from '../lib/interface/question-answer.ts'
import { questionAnswerRecords } from '../lib/records/kinds.ts'

export const getQuestionAnswers = listOf(questionAnswerRecords, GetQuestionAnswers)
