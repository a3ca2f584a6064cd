/** Runs an operation in one transaction. A request with the same `Idempotency-Key` gets the first response again. */
import { AgentError, isAgentError } from '../errors.ts'
import { hasResponse, onlyOnce, type ResponseCodec } from '../store/idempotency.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { InTransaction } from './operation.ts'
import { OperationResponse, type ResponseBody, type Result } from './request.ts'

export const inTransaction: InTransaction<UnitOfWork, ResponseCodec> = async (
  { agent, subject, idempotent, idempotencyKey: key, request, codec },
  handle,
) => {
  if (!idempotent) return transaction(agent, handle).catch(throwUnavailable)
  const act = async (unit: UnitOfWork) => bodyOf(await handle(unit))
  if (key === undefined || subject === undefined) return transaction(agent, act)
  const runOnce = () => transaction(agent, (unit) => onlyOnce(unit, { subject, key, request, codec }, () => act(unit)))
  try {
    return await runOnce()
  } catch (error) {
    // A concurrent request with the same key may have ended and caused the error: then its response is the result.
    if (FINAL_CODES.some((code) => isAgentError(error, code))) throw error
    if (!(await hasResponse({ tenant: agent, subject, key }).catch(() => false))) throw error
    return runOnce()
  }
}

const FINAL_CODES = ['idempotency.mismatch', 'store.unavailable'] as const

/**
 * A conflict after all retries says nothing about the request: nothing was written, not even a counter, and the caller
 * may repeat it.
 */
const throwUnavailable = (error: unknown): never => {
  if (!isAgentError(error, 'store.conflict')) throw error
  throw new AgentError('store.unavailable', 'concurrent changes of the same data', { cause: error, retryAfter: 1 })
}

/** Only the body is stored for repeated requests: the headers of an `OperationResponse` would be lost. */
const bodyOf = (response: Result): ResponseBody => {
  if (response instanceof OperationResponse)
    throw new AgentError('internal', 'an operation that changes something returns a body without headers')
  return response
}
