/** The record of a question and its answer (Aries RFC 0113): its schema. */
import * as v from 'valibot'
import { recordSchema } from './record-json.ts'

export const QUESTION_ANSWER_STATES = ['question-sent', 'question-received', 'answer-sent', 'answer-received'] as const
export const QUESTION_ANSWER_ROLES = ['questioner', 'responder'] as const

/**
 * Limits of a question, sent or received: characters of its texts, number of answers, characters of an answer. Wallets
 * show answers as buttons.
 */
export const MAX_QUESTION = 5_000
export const MAX_RESPONSES = 50
export const MAX_RESPONSE = 250

export const QuestionAnswerRecord = recordSchema({
  connectionId: v.string(),
  threadId: v.string(),
  role: v.picklist(QUESTION_ANSWER_ROLES),
  state: v.picklist(QUESTION_ANSWER_STATES),
  questionText: v.string(),
  questionDetail: v.optional(v.string()),
  validResponses: v.array(v.looseObject({ text: v.string() })),
  /** Always false: Credo does not sign answers. */
  signatureRequired: v.boolean(),
  response: v.optional(v.string()),
  _tags: v.looseObject({
    connectionId: v.string(),
    threadId: v.string(),
    role: v.picklist(QUESTION_ANSWER_ROLES),
    state: v.picklist(QUESTION_ANSWER_STATES),
  }),
})
