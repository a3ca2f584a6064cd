/** Asks and answers questions on connections (Aries RFC 0113). */
import type { AgentContext } from '@credo-ts/core'
import { type DidCommMessage, DidCommMessageSender, DidCommOutboundMessageContext } from '@credo-ts/didcomm'
import {
  type QuestionAnswerRecord,
  QuestionAnswerRepository,
  QuestionAnswerService,
  QuestionAnswerState,
  ValidResponse,
} from '@credo-ts/question-answer'
import { AgentError, invalidField } from '../../errors.ts'
import type { RecordJson } from '../../records/record-json.ts'
import { toRecordJson } from '../../records/record-json.ts'
import { readyConnection, send } from '../connections/index.ts'
import { currentContext, toStored } from '../credo/index.ts'

export interface NewQuestion {
  question: string
  detail?: string | undefined
  validResponses: { text: string }[]
}

/**
 * Sends a question in the running unit of work. Returns its record. Throws `resource.not_found`, `connection.not_ready`, `connection.no_endpoint`.
 */
export const sendQuestion = async (connectionId: string, asked: NewQuestion): Promise<RecordJson> => {
  const context = await currentContext()
  const { question, detail, validResponses } = asked
  await readyConnection(context, connectionId)
  const { questionMessage, questionAnswerRecord } = await context
    .resolve(QuestionAnswerService)
    .createQuestion(context, connectionId, {
      question,
      validResponses: validResponses.map((response) => new ValidResponse(response)),
      ...(detail !== undefined && { detail }),
    })
  return sent(context, questionMessage, questionAnswerRecord)
}

/**
 * Answers a received question in the running unit of work. Returns its record. Throws `resource.not_found`, `request.invalid`,
 * `exchange.out_of_turn`, `connection.not_ready`, `connection.no_endpoint`.
 */
export const sendAnswer = async (questionAnswerId: string, response: string): Promise<RecordJson> => {
  const context = await currentContext()
  const question = await context.resolve(QuestionAnswerRepository).findById(context, questionAnswerId)
  if (question === null) throw new AgentError('resource.not_found', 'there is no such record')
  if (question.state !== QuestionAnswerState.QuestionReceived)
    throw new AgentError('exchange.out_of_turn', `the question can not be answered: its state is ${question.state}`)
  if (!question.validResponses.some(({ text }) => text === response))
    throw invalidField('response', 'is none of the valid responses of the question')
  const { answerMessage, questionAnswerRecord } = await context
    .resolve(QuestionAnswerService)
    .createAnswer(context, question, response)
  return sent(context, answerMessage, questionAnswerRecord)
}

const sent = async (
  context: AgentContext,
  message: DidCommMessage,
  record: QuestionAnswerRecord,
): Promise<RecordJson> => {
  const connection = await readyConnection(context, record.connectionId)
  const outbound = new DidCommOutboundMessageContext(message, {
    ...{ agentContext: context, connection, associatedRecord: record },
  })
  await send(() => context.resolve(DidCommMessageSender).sendMessage(outbound))
  return toRecordJson(toStored(context, record))
}
