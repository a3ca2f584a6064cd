/**
 * Runs an operation that changes something in one transaction. The same `Idempotency-Key` gets the first response again.
 */
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
  if (!idempotent) return transaction(agent, handle).catch(orUnavailable)
  const act = async (unit: UnitOfWork) => bodyOf(await handle(unit))
  if (key === undefined || subject === undefined) return transaction(agent, act)
  const respond = () => transaction(agent, (unit) => onlyOnce(unit, { subject, key, request, codec }, () => act(unit)))
  try {
    return await respond()
  } catch (error) {
    // A concurrent run of the same request may have ended: then this one has met what that has changed.
    if (IS_FINAL.some((code) => isAgentError(error, code))) throw error
    if (!(await hasResponse({ tenant: agent, subject, key }).catch(() => false))) throw error
    return respond()
  }
}

const IS_FINAL = ['idempotency.mismatch', 'store.unavailable'] as const

/**
 * A conflict to the end says neither that the request was right nor that it was wrong: nothing was counted, and its
 * caller may repeat it.
 */
const orUnavailable = (error: unknown): never => {
  if (!isAgentError(error, 'store.conflict')) throw error
  throw new AgentError('store.unavailable', 'others have changed the same', { cause: error, retryAfter: 1 })
}

/** Only the body is stored: the headers of an `OperationResponse` would be lost the second time. */
const bodyOf = (response: Result): ResponseBody => {
  if (response instanceof OperationResponse)
    throw new AgentError('internal', 'an operation that changes something returns a body without headers')
  return response
}
