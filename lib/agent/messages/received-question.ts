/** Checks of questions and answers that other agents send (Aries RFC 0113). */
import type { AgentContext } from '@credo-ts/core'
import type { DidCommInboundMessageContext as Inbound } from '@credo-ts/didcomm'
import {
  type AnswerMessage,
  type QuestionAnswerRecord,
  QuestionAnswerRepository,
  QuestionAnswerService,
  type QuestionMessage,
} from '@credo-ts/question-answer'
import * as v from 'valibot'
import { MAX_QUESTION, MAX_RESPONSE, MAX_RESPONSES } from '../../records/question-answer.ts'

/** Credo checks less: the text of a response could be anything. */
const Question = v.object({
  questionText: v.pipe(v.string(), v.maxLength(MAX_QUESTION)),
  questionDetail: v.optional(v.pipe(v.string(), v.maxLength(MAX_QUESTION))),
  validResponses: v.pipe(
    v.array(v.object({ text: v.pipe(v.string(), v.maxLength(MAX_RESPONSE)) })),
    v.maxLength(MAX_RESPONSES),
  ),
})

/** The violation of a malformed or too large question. */
export const questionViolation = ({ message }: Inbound<QuestionMessage>): string | undefined => {
  if (message.threadId !== message.id) return 'a question must begin its thread'
  return v.is(Question, message) ? undefined : 'the question is malformed, or too large'
}

/** The violation of an answer that its question does not offer. */
export const answerViolation = async (inbound: Inbound<AnswerMessage>): Promise<string | undefined> => {
  const { agentContext, message } = inbound
  const { id } = inbound.assertReadyConnection()
  const questions = agentContext.resolve(QuestionAnswerService)
  const record = await questions.findByThreadAndConnectionId(agentContext, id, message.threadId)
  if (record === null) return 'there is no such question'
  const isOffered = record.validResponses.some(({ text }) => text === message.response)
  return isOffered ? undefined : 'the answer must be one of the valid responses of the question'
}

/** The questions with a thread, on any connection. */
export const findQuestions = (agentContext: AgentContext, threadId: string): Promise<QuestionAnswerRecord[]> =>
  agentContext.resolve(QuestionAnswerRepository).findByQuery(agentContext, { threadId })
