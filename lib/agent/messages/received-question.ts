/** What is checked of questions and answers that other agents send (Aries RFC 0113). */
import { type AgentContext, CredoError } from '@credo-ts/core'
import type { DidCommInboundMessageContext } from '@credo-ts/didcomm'
import {
  type AnswerMessage,
  type QuestionAnswerRecord,
  QuestionAnswerRepository,
  QuestionAnswerService,
  type QuestionMessage,
  ValidResponse,
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

/** Throws a CredoError for a malformed or too large question. Members that Credo does not check are replaced. */
export const assertQuestion = (message: QuestionMessage): void => {
  if (message.threadId !== message.id) throw new CredoError('a question must begin its thread')
  const checked = v.safeParse(Question, message)
  if (!checked.success) throw new CredoError('the question is malformed, or too large')
  message.validResponses = checked.output.validResponses.map((response) => new ValidResponse(response))
}

/** Throws a CredoError for an answer that the question does not offer. */
export const assertOffered = async (inbound: DidCommInboundMessageContext<AnswerMessage>): Promise<void> => {
  const { agentContext, message } = inbound
  const { id } = inbound.assertReadyConnection()
  const questions = agentContext.resolve(QuestionAnswerService)
  const record = await questions.findByThreadAndConnectionId(agentContext, id, message.threadId)
  if (record === null) throw new CredoError('there is no such question')
  if (!record.validResponses.some(({ text }) => text === message.response))
    throw new CredoError('the answer is not one that the question offers')
}

/** The questions with a thread, on any connection. */
export const findQuestions = (agentContext: AgentContext, threadId: string): Promise<QuestionAnswerRecord[]> =>
  agentContext.resolve(QuestionAnswerRepository).findByQuery(agentContext, { threadId })
