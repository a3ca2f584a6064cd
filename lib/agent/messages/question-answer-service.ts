/**
 * Credo's service of questions and answers (Aries RFC 0113), restricted to well-formed questions and to the answers
 * that they offer.
 */
import { type DependencyManager, EventEmitter, InjectionSymbols } from '@credo-ts/core'
import { QuestionAnswerRepository, QuestionAnswerService } from '@credo-ts/question-answer'
import { assertOffered, assertQuestion } from './received-question.ts'

export class AgentQuestionAnswerService extends QuestionAnswerService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(QuestionAnswerRepository),
      services.resolve(EventEmitter),
      services.resolve(InjectionSymbols.Logger),
    )
  }

  override async processReceiveQuestion(...[inbound]: Parameters<QuestionAnswerService['processReceiveQuestion']>) {
    assertQuestion(inbound.message)
    const record = await super.processReceiveQuestion(inbound)
    // Credo writes false, whatever the question says.
    if (inbound.message.signatureRequired === true) {
      record.signatureRequired = true
      await inbound.agentContext.resolve(QuestionAnswerRepository).update(inbound.agentContext, record)
    }
    return record
  }

  override async receiveAnswer(...[inbound]: Parameters<QuestionAnswerService['receiveAnswer']>) {
    await assertOffered(inbound)
    return super.receiveAnswer(inbound)
  }
}
