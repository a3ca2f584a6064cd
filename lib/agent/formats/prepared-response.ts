/** Responses to proof requests that are prepared before Credo is told to send them. */
import type { AgentContext } from '@credo-ts/core'
import type { DidCommAttachment, DidCommProofExchangeRecord, DidCommProofFormatSpec } from '@credo-ts/didcomm'
import { currentUnit } from '../../store/transaction.ts'

interface Response {
  attachment: DidCommAttachment
  format: DidCommProofFormatSpec
}

interface Request {
  proofRecord: DidCommProofExchangeRecord
  requestAttachment: DidCommAttachment
  attachmentId?: string
}

/** The part of a format service that responds to requests. */
interface RespondingFormat {
  acceptRequest(agentContext: AgentContext, request: Request): Promise<Response>
}

const PREPARED = Symbol('prepared responses')

/** The responses of the running unit of work to a proof request, by format. */
const preparedFor = ({ id }: DidCommProofExchangeRecord): Map<object, Response> => {
  const responses = currentUnit().slot(PREPARED, () => new Map<string, Map<object, Response>>())
  const known = responses.get(id) ?? new Map<object, Response>()
  responses.set(id, known)
  return known
}

/** Prepares the response to a proof request in one format. Throws what the format throws. */
export const prepareResponse = async (
  agentContext: AgentContext,
  format: RespondingFormat,
  request: Request,
): Promise<void> => {
  preparedFor(request.proofRecord).set(format, await format.acceptRequest(agentContext, request))
}

/** The response that was prepared for a record, if any. */
export const preparedResponse = (format: object, proofRecord: DidCommProofExchangeRecord): Response | undefined =>
  preparedFor(proofRecord).get(format)
