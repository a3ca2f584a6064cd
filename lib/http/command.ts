/** A command: an operation that changes something, in one transaction; the same `Idempotency-Key` gets the first answer again. */
import type { Principal } from '../auth/principal.ts'
import type { Contract } from '../interface/contract.ts'
import { type AnswerCodec, onlyOnce } from '../store/idempotency.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { defineOperation, type OperationOptions } from './operation.ts'
import type { OperationRequest } from './request.ts'

/** A request that its caller may make, in the unit of work whose writes are committed before the answer. */
type CommandRequest<C extends Contract> = OperationRequest<C> & { unit: UnitOfWork }

/** Where answers hold secrets, what is kept of them is sealed; only such a function has the means for it in its bundle. */
type Sealing<C extends Contract> = C extends { secretAnswer: true } ? { answers: AnswerCodec } : { answers?: never }

export type Command<C extends Contract> = Sealing<C> & {
  /**
   * The agent that the command acts in, for a caller who may run it; `auth.forbidden` for any other. It is asked each time, also where the
   * answer is known.
   */
  authorize: (request: OperationRequest<C>) => string
  act: (request: CommandRequest<C>) => Promise<object>
}

/** What of a request makes it the same one. */
interface Repeatable {
  operationId: string
  principal: Principal | undefined
  path: unknown
  query: unknown
  body: unknown
  header: (name: string) => string | undefined
}

/** Runs `act` unless its answer is known. A caller without a token has nobody whose key it could be. */
const repeatable = (
  unit: UnitOfWork,
  { operationId, principal, path, query, body, header }: Repeatable,
  answers: AnswerCodec | undefined,
  act: () => Promise<object>,
): Promise<object> => {
  const key = header('idempotency-key')
  if (key === undefined || principal === undefined) return act()
  const { subject } = principal
  return onlyOnce(unit, { subject, key, request: [operationId, path, query, body], answers }, act)
}

/**
 * Makes a Lambda handler of a contract and a command: as `defineOperation` does, and with the transaction around it.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 *
 * @example
 * export const deleteWebhookEndpoint = defineCommand(DeleteWebhookEndpoint, {
 *   authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
 *   act: ({ path, unit }) => deleteEndpoint(unit, path),
 * })
 */
export const defineCommand = <const C extends Contract>(
  contract: C,
  { authorize, act, answers }: Command<C>,
  ...options: OperationOptions<C>
) =>
  defineOperation(
    contract,
    (request) =>
      transaction(authorize(request), (unit) => repeatable(unit, request, answers, () => act({ ...request, unit }))),
    ...options,
  )
