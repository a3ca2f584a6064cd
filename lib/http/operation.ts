/** The pipeline of every operation: authentication, path, query, body, authorization, the handler in its transaction, the answer or the error. */
import middy from '@middy/core'
import type { APIGatewayProxyResult } from 'aws-lambda'
import type { Contract } from '../interface/contract.ts'
import { checkBody } from './body.ts'
import {
  type Checked,
  checkCaller,
  headerOf,
  keep,
  type OperationEvent,
  requestIdOf,
  type Verify,
  wantedOf,
} from './event.ts'
import { checkParameters } from './parameters.ts'
import type { Answer, AnswerBody, AuthorizedRequest, OperationRequest } from './request.ts'
import { type ErrorPage, refuse, toResponse } from './response.ts'

/** The operation ends this many ms before Lambda's timeout, so that a slow dependency causes our 503 and not the gateway's. */
const TIME_TO_ANSWER = 250

/** Required for contracts of one kind, and refused for all others. */
type Where<Kind extends boolean, Part> = Kind extends true ? Part : { [Name in keyof Part]?: undefined }

/** A run of an operation that changes something. */
export interface Command<Answers> {
  /** The agent that the operation acts for. */
  agent: string
  /** The caller; without a token there is none. */
  subject: string | undefined
  idempotencyKey: string | undefined
  /** Everything that identifies the request. */
  request: readonly unknown[]
  /** How the answer is stored; plain text by default. */
  answers: Answers | undefined
  /** The operation answers without a body. */
  bodiless: boolean
}

/**
 * Runs `handle` in a unit of work, or returns its stored answer. Its writes are committed together with the answer. in-transaction.ts implements it and
 * names both types: operations that only read do not import them.
 */
export type InTransaction<Unit, Answers> = (
  command: Command<Answers>,
  handle: (unit: Unit) => Promise<AnswerBody | Answer>,
) => Promise<AnswerBody>

interface Handle<C extends Contract, Prepared, Unit> {
  /**
   * Runs once before the transaction, which may be repeated: for reading from the web. It must not throw, because the `Idempotency-Key` may have an
   * answer already.
   */
  prepare?: (request: OperationRequest<C>) => Promise<Prepared>
  handle: (request: AuthorizedRequest<C, Unit> & { prepared: Prepared }) => Promise<AnswerBody | Answer>
}

interface Authorize<C extends Contract> {
  /** Returns the agent for which the caller may run the operation; throws `auth.forbidden` otherwise. */
  authorize: (request: OperationRequest<C>) => string
}

/**
 * The implementation of a contract and its dependencies. Each function imports its own, so that other bundles do not contain them: verifying needs
 * jose, the transaction the unit of work, sealed answers KMS.
 */
export type Operation<C extends Contract, Prepared, Unit, Answers> = Handle<C, Prepared, Unit> &
  Where<C['security'] extends 'none' ? false : true, Authorize<C>> &
  Where<C['security'] extends 'optional' ? true : false, { verify: Verify }> &
  Where<C extends { idempotent: true } ? true : false, { inTransaction: InTransaction<Unit, Answers> }> &
  Where<C extends { holdsSecret: true } ? true : false, { answers: Answers }> &
  Where<C extends { pages: string } ? true : false, { errorPage: ErrorPage }>

type Handled<C extends Contract, Prepared, Unit> = Parameters<Handle<C, Prepared, Unit>['handle']>[0]

/** The same for any contract, as the pipeline uses it. */
interface AnyOperation<C extends Contract, Prepared, Unit, Answers> extends Handle<C, Prepared, Unit> {
  authorize?: Authorize<C>['authorize'] | undefined
  verify?: Verify | undefined
  inTransaction?: InTransaction<Unit, Answers> | undefined
  answers?: Answers | undefined
  errorPage?: ErrorPage | undefined
}

const runOf =
  <C extends Contract, Prepared, Unit, Answers>(
    { operationId, answers: success }: C,
    { authorize, prepare, handle, inTransaction, answers }: AnyOperation<C, Prepared, Unit, Answers>,
  ) =>
  async ({
    principal,
    path = {},
    query = {},
    body,
    idempotencyKey,
    wanted,
  }: Checked = {}): Promise<AnswerBody | Answer> => {
    // The values have passed the schemas from which the type is derived, but the compiler can't follow them through the event.
    const asked = { principal, path, query, body } as OperationRequest<C>
    const agent = authorize?.(asked)
    const prepared = (await prepare?.(asked)) as Prepared
    const handleIn = (unit?: Unit) => handle({ ...asked, agent, unit, wanted, prepared } as Handled<C, Prepared, Unit>)
    if (inTransaction === undefined || agent === undefined) return handleIn()
    const request = [operationId, path, query, body]
    const bodiless = 204 in success
    return inTransaction({ agent, subject: principal?.subject, idempotencyKey, request, answers, bodiless }, handleIn)
  }

/**
 * Makes a Lambda handler of a contract and its implementation. Caller, path, query and body are checked in this order. `authorize` is called
 * each time, also where the `Idempotency-Key` already has an answer. `handle` throws AgentErrors, and returns the body of the answer or
 * `answer(body, { headers })`; a contract with pages also takes a `Page`, one that redirects a `Redirect`.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 *
 * @example
 * export const deleteWebhookEndpoint = defineOperation(DeleteWebhookEndpoint, {
 *   authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
 *   handle: ({ path, unit }) => deleteEndpoint(unit, path),
 *   inTransaction,
 * })
 */
export const defineOperation = <const C extends Contract, Prepared = undefined, Unit = undefined, Answers = undefined>(
  contract: C,
  operation: Operation<C, Prepared, Unit, Answers>,
) => {
  const pipeline = middy<OperationEvent, APIGatewayProxyResult>({ timeoutEarlyInMillis: TIME_TO_ANSWER })
    .onError(refuse(contract, operation.errorPage))
    .before(checkCaller(contract, operation.verify))
    .before(checkParameters(contract))
  if (contract.pages) pipeline.before(({ event }) => keep(event, { wanted: wantedOf(event) }))
  if (contract.body) pipeline.before(checkBody(contract.body, contract))
  const run = runOf(contract, operation)
  return pipeline.handler(async (event: OperationEvent, context) =>
    toResponse(contract, await run(event.checked), {
      requestId: requestIdOf(event, context),
      ifNoneMatch: headerOf(event, 'if-none-match'),
    }),
  )
}
