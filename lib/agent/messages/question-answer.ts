/** Asks and answers questions on connections (Aries RFC 0113). */
import type { AgentContext } from '@credo-ts/core'
import type { DidCommMessage } from '@credo-ts/didcomm'
import {
  type QuestionAnswerRecord,
  QuestionAnswerRepository,
  QuestionAnswerService,
  QuestionAnswerState,
  ValidResponse,
} from '@credo-ts/question-answer'
import type * as v from 'valibot'
import { AgentError, invalidField } from '../../errors.ts'
import type { SendQuestion } from '../../interface/question-answer.ts'
import { type RecordJson, toRecordJson } from '../../records/record-json.ts'
import { readyConnection, readyConnectionOf, sendOn } from '../connections/index.ts'
import { currentContext, toStored } from '../credo/index.ts'

/**
 * Sends a question in the running unit of work. Returns its record. Throws `resource.not_found`,
 * `connection.not_ready`, `connection.no_endpoint`.
 */
export const sendQuestion = async (
  connectionId: string,
  { question, detail, validResponses }: v.InferOutput<typeof SendQuestion.body>,
): Promise<RecordJson> => {
  const context = await currentContext()
  await readyConnection(context, connectionId)
  const { questionMessage, questionAnswerRecord } = await context
    .resolve(QuestionAnswerService)
    .createQuestion(context, connectionId, {
      question,
      validResponses: validResponses.map((response) => new ValidResponse(response)),
      ...(detail !== undefined && { detail }),
    })
  return sendOnConnection(context, questionMessage, questionAnswerRecord)
}

/**
 * Answers a received question in the running unit of work. Returns its record. Throws `resource.not_found`,
 * `request.invalid`, `exchange.out_of_turn`, `connection.not_ready`, `connection.no_endpoint`.
 */
export const sendAnswer = async (questionAnswerId: string, response: string): Promise<RecordJson> => {
  const context = await currentContext()
  const question = await context.resolve(QuestionAnswerRepository).findById(context, questionAnswerId)
  if (question === null) throw new AgentError('resource.not_found', 'there is no such record')
  if (question.state !== QuestionAnswerState.QuestionReceived)
    throw new AgentError('exchange.out_of_turn', `the question cannot be answered: its state is ${question.state}`)
  if (!question.validResponses.some(({ text }) => text === response))
    throw invalidField('response', 'must be one of the valid responses of the question')
  const { answerMessage, questionAnswerRecord } = await context
    .resolve(QuestionAnswerService)
    .createAnswer(context, question, response)
  return sendOnConnection(context, answerMessage, questionAnswerRecord)
}

const sendOnConnection = async (
  context: AgentContext,
  message: DidCommMessage,
  record: QuestionAnswerRecord,
): Promise<RecordJson> => {
  await sendOn(context, await readyConnectionOf(context, record), message, record)
  return toRecordJson(toStored(context, record))
}
