/**
 * Runs an operation that changes something in one transaction. The same `Idempotency-Key` gets the first response again.
 */
import { AgentError } from '../errors.ts'
import { onlyOnce, type ResponseCodec } from '../store/idempotency.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { InTransaction } from './operation.ts'
import { OperationResponse, type ResponseBody } from './request.ts'

export const inTransaction: InTransaction<UnitOfWork, ResponseCodec> = (
  { agent, subject, idempotencyKey: key, request, codec, bodiless },
  handle,
) =>
  transaction(agent, (unit) => {
    const act = async () => bodyOf(await handle(unit), bodiless)
    if (key === undefined || subject === undefined) return act()
    return onlyOnce(unit, { subject, key, request, codec }, act)
  })

/** Only the body is stored: the headers of an `OperationResponse` would be lost the second time. */
const bodyOf = (response: ResponseBody | OperationResponse, bodiless: boolean): ResponseBody => {
  if (response instanceof OperationResponse || (response === undefined) !== bodiless)
    throw new AgentError(
      'internal',
      'an operation that changes something returns the body of its contract and nothing else',
    )
  return response
}
