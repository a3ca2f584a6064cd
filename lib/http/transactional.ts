/** Makes an act one transaction: it is committed before the answer, or it is an error and nothing was written. */
import { actingAgent } from '../auth/access.ts'
import type { Principal } from '../auth/principal.ts'
import { AgentError } from '../errors.ts'
import { onlyOnce } from '../store/idempotency.ts'
import { transaction } from '../store/transaction.ts'
import type { Act, OperationRequest } from './request.ts'

/** What of a request the transaction needs to know. */
type Commanding = Pick<OperationRequest, 'operationId' | 'header'> & {
  principal: Principal
  path: unknown
  body: unknown
}

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Runs `act` in a unit of work of the principal's agent. With an `Idempotency-Key`, the same request again gets the first
 * answer again. https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export const transactional =
  <Request extends Commanding>(act: (request: Request) => Promise<object>): Act<Request> =>
  (request) => {
    const { operationId, principal, path, body, header } = request
    const key = header('idempotency-key')
    if (key !== undefined && !IDEMPOTENCY_KEY.test(key))
      throw new AgentError('request.malformed', 'the Idempotency-Key must be 1 to 255 visible characters')
    return transaction(actingAgent(principal), (unit) =>
      key === undefined ? act(request) : onlyOnce(unit, key, [operationId, path, body], () => act(request)),
    )
  }
