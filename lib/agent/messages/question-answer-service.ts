/**
 * Credo's service of questions and answers (Aries RFC 0113), restricted to well-formed questions and to the answers
 * that they offer.
 */
import { type AgentContext, CredoError, type DependencyManager, EventEmitter, InjectionSymbols } from '@credo-ts/core'
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
  questionDetail: v.nullish(v.pipe(v.string(), v.maxLength(MAX_QUESTION))),
  validResponses: v.pipe(
    v.array(v.object({ text: v.pipe(v.string(), v.maxLength(MAX_RESPONSE)) })),
    v.maxLength(MAX_RESPONSES),
  ),
})

export class AgentQuestionAnswerService extends QuestionAnswerService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(QuestionAnswerRepository),
      services.resolve(EventEmitter),
      services.resolve(InjectionSymbols.Logger),
    )
  }

  /** Throws a CredoError for a malformed or too large question. */
  override async processReceiveQuestion(messageContext: DidCommInboundMessageContext<QuestionMessage>) {
    const { message } = messageContext
    if (message.threadId !== message.id) throw new CredoError('a question must begin its thread')
    const checked = v.safeParse(Question, message)
    if (!checked.success) throw new CredoError('the question is malformed, or too large')
    // Null where there is none: a record has no such detail.
    if (checked.output.questionDetail === null) delete message.questionDetail
    message.validResponses = checked.output.validResponses.map((response) => new ValidResponse(response))
    return super.processReceiveQuestion(messageContext)
  }

  /** Throws a CredoError for an answer that the question does not offer. */
  override async receiveAnswer(messageContext: DidCommInboundMessageContext<AnswerMessage>) {
    const { agentContext, message } = messageContext
    const { id } = messageContext.assertReadyConnection()
    const record = await this.findByThreadAndConnectionId(agentContext, id, message.threadId)
    if (record === null) throw new CredoError('there is no such question')
    if (!record.validResponses.some(({ text }) => text === message.response))
      throw new CredoError('the answer is not one that the question offers')
    return super.receiveAnswer(messageContext)
  }
}

/** The questions with a thread, on any connection. */
export const findQuestions = (agentContext: AgentContext, threadId: string): Promise<QuestionAnswerRecord[]> =>
  agentContext.resolve(QuestionAnswerRepository).findByQuery(agentContext, { threadId })
