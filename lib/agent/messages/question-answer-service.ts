/** Credo's service of questions and answers (Aries RFC 0113), which stores only the shown parts of a question. */
import { type DependencyManager, EventEmitter, InjectionSymbols } from '@credo-ts/core'
import { QuestionAnswerRepository, QuestionAnswerService, ValidResponse } from '@credo-ts/question-answer'

export class AgentQuestionAnswerService extends QuestionAnswerService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(QuestionAnswerRepository),
      services.resolve(EventEmitter),
      services.resolve(InjectionSymbols.Logger),
    )
  }

  override async processReceiveQuestion(...[inbound]: Parameters<QuestionAnswerService['processReceiveQuestion']>) {
    // Other members of a response could be anything.
    inbound.message.validResponses = inbound.message.validResponses.map(({ text }) => new ValidResponse({ text }))
    const record = await super.processReceiveQuestion(inbound)
    // Credo always writes false.
    if (inbound.message.signatureRequired === true) {
      record.signatureRequired = true
      await inbound.agentContext.resolve(QuestionAnswerRepository).update(inbound.agentContext, record)
    }
    return record
  }
}
