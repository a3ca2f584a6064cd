/** Answers to proof requests, prepared before Credo is told to send them: a request that can't be answered automatically waits for an API call. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import type { DidCommAttachment, DidCommProofExchangeRecord, DidCommProofFormatSpec } from '@credo-ts/didcomm'
import { isAgentError } from '../errors.ts'
import { currentUnit } from '../store/transaction.ts'

interface Answer {
  attachment: DidCommAttachment
  format: DidCommProofFormatSpec
}

interface Request {
  proofRecord: DidCommProofExchangeRecord
  requestAttachment: DidCommAttachment
  attachmentId?: string
}

/** The part of a format service that answers requests. */
interface Answering {
  acceptRequest(agentContext: AgentContext, request: Request): Promise<Answer>
}

const prepared = new WeakMap<DidCommProofExchangeRecord, Map<object, Answer>>()

/** Prepares the answer in one format. False if the agent does not hold the necessary credentials. */
export const prepareAnswer = async (
  agentContext: AgentContext,
  format: Answering,
  request: Request,
): Promise<boolean> => {
  const { proofRecord } = request
  try {
    const answer = await format.acceptRequest(agentContext, request)
    prepared.set(proofRecord, new Map([...(prepared.get(proofRecord) ?? []), [format, answer]]))
    return true
  } catch (error) {
    const isOfRequest = error instanceof CredoError || isAgentError(error, 'request.invalid')
    if (isOfRequest && currentUnit().failure === undefined) return false
    throw error
  }
}

/** The answer that was prepared for a record, if any. */
export const preparedAnswer = (format: object, proofRecord: DidCommProofExchangeRecord): Answer | undefined =>
  prepared.get(proofRecord)?.get(format)
