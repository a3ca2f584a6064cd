/** Contracts of questions with their valid answers (Aries RFC 0113), in both roles. */
import * as v from 'valibot'
import {
  MAX_QUESTION,
  MAX_RESPONSE,
  MAX_RESPONSES,
  QUESTION_ANSWER_ROLES,
  QUESTION_ANSWER_STATES,
  QuestionAnswerRecord,
} from '../records/question-answer.ts'
import { EntityId } from '../records/tenant.ts'
import { actionOn, defineContract, lookupOf, QUERY } from './contract.ts'
import { exactly, Paging, text } from './fields.ts'

const ThreadTag = text(1024)

const ValidResponses = v.pipe(
  v.array(exactly({ text: text(MAX_RESPONSE) })),
  v.minLength(1),
  v.maxLength(MAX_RESPONSES),
  v.check(
    (responses) => new Set(responses.map((response) => response.text)).size === responses.length,
    'must not have the same text twice',
  ),
)

export const GetQuestionAnswers = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'GetQuestionAnswers',
  path: '/question-answer',
  summary: 'List sent and received questions, with their answers',
  parameters: {
    query: v.object({
      connectionId: v.optional(EntityId),
      role: v.optional(v.picklist(QUESTION_ANSWER_ROLES)),
      state: v.optional(v.picklist(QUESTION_ANSWER_STATES)),
      threadId: v.optional(ThreadTag),
      ...Paging.entries,
    }),
  },
  responses: { 200: v.array(QuestionAnswerRecord) },
}))

export const GetQuestionAnswerById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(v.object({ questionAnswerId: EntityId }), QuestionAnswerRecord),
  operationId: 'GetQuestionAnswerById',
  path: '/question-answer/{questionAnswerId}',
  summary: 'Retrieve a question and its answer by its record id',
}))

export const SendQuestion = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(v.object({ connectionId: EntityId }), QuestionAnswerRecord),
  operationId: 'SendQuestion',
  path: '/question-answer/question/{connectionId}',
  summary: 'Send a question with valid answers to a connection',
  description: 'The answer is not signed; only the connection authenticates it.',
  body: exactly({
    question: text(MAX_QUESTION),
    validResponses: ValidResponses,
    detail: v.optional(text(MAX_QUESTION)),
  }),
}))

export const SendAnswer = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(v.object({ questionAnswerId: EntityId }), QuestionAnswerRecord),
  operationId: 'SendAnswer',
  path: '/question-answer/answer/{questionAnswerId}',
  summary: 'Answer a received question',
  description: '`response` is the text of one of its `validResponses`. A question can be answered once.',
  body: exactly({ response: text(MAX_RESPONSE) }),
}))
