/** The pipeline of every operation: who calls, path, query, body, then the act, its answer against the contract, errors to bodies. */
import middy from '@middy/core'
import type { APIGatewayProxyResult } from 'aws-lambda'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { type Contract, type Schema, successOf } from '../interface/contract.ts'
import { log } from '../log.ts'
import { checkBody } from './body.ts'
import { checkCaller, type Verify } from './caller.ts'
import { toErrorBody, toErrorLog } from './error-body.ts'
import { headerOf, type OperationEvent, type OperationMiddleware, requestIdOf } from './event.ts'
import { checkParameters } from './parameters.ts'
import { type Act, Answer, type AnswerBody, type OperationRequest } from './request.ts'
import { toFieldIssues } from './validate.ts'

export type { Act, OperationRequest } from './request.ts'
export { answer } from './request.ts'

/** Time that is kept back of Lambda's own, so that a slow dependency ends in our 503 and not in the gateway's, in ms. */
const TIME_TO_ANSWER = 250

const headersOf = (requestId: string) => ({
  'x-request-id': requestId,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, link, retry-after',
  // Answers hold secrets that are shown once and data of persons. https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html#security-headers
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

const toRequest = <C extends Contract>(contract: C, event: OperationEvent, requestId: string): OperationRequest<C> => {
  const { principal, path = {}, query = {}, body } = event.checked ?? {}
  const header = (name: string) => headerOf(event, name)
  const request = { operationId: contract.operationId, principal, path, query, body, header, requestId }
  // The values have passed the very schemas that the type is derived from; the compiler cannot follow them through the event.
  return request as OperationRequest<C>
}

const assertKept = (contract: Contract, schema: Schema, body: AnswerBody): void => {
  const result = v.safeParse(schema, body)
  if (result.success) return
  // Paths only: an answer's values belong to the caller, not into the log.
  const details = toFieldIssues(result.issues).map(({ path }) => ({ path, message: 'breaks the contract' }))
  throw new AgentError('internal', `The answer of ${contract.operationId} breaks its contract`, { details })
}

const toResponse = (contract: Contract, given: AnswerBody | Answer, requestId: string): APIGatewayProxyResult => {
  const { body, headers } = given instanceof Answer ? given : new Answer(given, {})
  const { status, schema } = successOf(contract)
  assertKept(contract, schema, body)
  return {
    statusCode: status,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers, ...headersOf(requestId) },
    body: body === undefined ? '' : JSON.stringify(body),
  }
}

/** What a status obliges to: a challenge (RFC 9110, section 11.6.1), a time to come back (section 10.2.3). */
const headersOfStatus = (status: number): Record<string, string> => {
  if (status === 401) return { 'www-authenticate': 'Bearer' }
  return status === 503 ? { 'retry-after': '1' } : {}
}

const refuse =
  ({ operationId }: Contract): OperationMiddleware =>
  ({ event, context, error }) => {
    const requestId = requestIdOf(event, context)
    const body = toErrorBody(error)
    log(body.statusCode < 500 ? 'warn' : 'error', 'request refused', { requestId, operationId, ...toErrorLog(error) })
    return {
      statusCode: body.statusCode,
      headers: { 'content-type': 'application/json', ...headersOfStatus(body.statusCode), ...headersOf(requestId) },
      body: JSON.stringify(body),
    }
  }

/** The verifier comes in from outside: only operations that look at the token themselves carry jose in their bundle. */
export type OperationOptions<C extends Contract> = C['security'] extends 'optional' ? [options: { verify: Verify }] : []

/**
 * Makes a Lambda handler of a contract and an act. The act runs only when caller, path, query and body have passed, in this order; it
 * throws AgentErrors, and gives back the body of the answer, or `answer(body, { headers })`.
 */
export const defineOperation = <const C extends Contract>(
  contract: C,
  act: Act<OperationRequest<C>>,
  ...[options]: OperationOptions<C>
) => {
  const operation = middy<OperationEvent, APIGatewayProxyResult>({ timeoutEarlyInMillis: TIME_TO_ANSWER })
    .onError(refuse(contract))
    .before(checkCaller(contract, options?.verify))
    .before(checkParameters(contract))
  if (contract.body) operation.before(checkBody(contract.body, contract))
  return operation.handler(async (event: OperationEvent, context) => {
    const requestId = requestIdOf(event, context)
    return toResponse(contract, await act(toRequest(contract, event, requestId)), requestId)
  })
}
