/** Responses to proof requests, prepared before Credo sends them, and the error if that is not possible. */
import type { AgentContext } from '@credo-ts/core'
import type { DidCommAttachment, DidCommProofExchangeRecord, DidCommProofFormatSpec } from '@credo-ts/didcomm'
import { AgentError, shortReason } from '../../errors.ts'
import { currentUnit } from '../../store/transaction.ts'

export interface PreparedResponse {
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
  acceptRequest(agentContext: AgentContext, request: Request): Promise<PreparedResponse>
}

const PREPARED = Symbol('prepared responses')

/** The responses of the running unit of work to a proof request, by format. */
const preparedFor = ({ id }: DidCommProofExchangeRecord): Map<object, PreparedResponse> => {
  const responses = currentUnit().moduleState(PREPARED, () => new Map<string, Map<object, PreparedResponse>>())
  const known = responses.get(id) ?? new Map<object, PreparedResponse>()
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
export const preparedResponse = (
  format: object,
  proofRecord: DidCommProofExchangeRecord,
): PreparedResponse | undefined => preparedFor(proofRecord).get(format)

/** The error if a received request cannot be answered. `path` is the path of the format in the API call. */
export const unanswerableError = (path: string, reason: string, cause?: unknown): AgentError =>
  new AgentError('request.invalid', 'the request cannot be answered', {
    cause,
    details: [{ path, message: shortReason(`cannot answer the request: ${reason}`) }],
  })
