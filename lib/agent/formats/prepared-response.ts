/** Responses to proof requests: prepared before Credo is told to send them, or not possible. */
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
  const responses = currentUnit().slot(PREPARED, () => new Map<string, Map<object, PreparedResponse>>())
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

/** The error of a call to respond to a request of another agent. `path` is the format's, in the call. */
export const unanswerable = (path: string, reason: string, cause?: unknown): AgentError =>
  new AgentError('request.invalid', 'the request can not be answered', {
    cause,
    details: [{ path, message: shortReason(`can't answer the request: ${reason}`) }],
  })
