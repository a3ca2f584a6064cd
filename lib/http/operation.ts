/** The pipeline of every operation: authentication, path, query, body, authorization, the handler in its transaction, the answer or the error. */
import middy from '@middy/core'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { actingAgent } from '../auth/access.ts'
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

/** A run of an operation that changes something. */
interface Command<Answers> {
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

/** Returns the agent for which the caller may run the operation; throws `auth.forbidden` otherwise. */
type Authorize<C extends Contract> = (request: OperationRequest<C>) => string

/** Required for contracts of one kind, and refused for all others. */
type Where<Kind extends boolean, Part> = Kind extends true ? Part : { [Name in keyof Part]?: undefined }

/** A token's agent may be acted for by default, but not a tenant or an organization that the path names. */
type Authorization<C extends Contract> = C['security'] extends 'token'
  ? C['path'] extends `${string}{${'tenantId' | 'orgId'}}${string}`
    ? { authorize: Authorize<C> }
    : { authorize?: Authorize<C> }
  : Where<C['security'] extends 'optional' ? true : false, { authorize: Authorize<C> }>

/**
 * What a contract needs beside a handler. Each function imports its own, so that other bundles do not contain them: verifying needs jose, sealed answers
 * KMS.
 */
type Dependencies<C extends Contract, Answers> = Authorization<C> &
  Where<C['security'] extends 'optional' ? true : false, { verify: Verify }> &
  Where<C extends { holdsSecret: true } ? true : false, { answers: Answers }> &
  Where<C extends { pages: string } ? true : false, { errorPage: ErrorPage }>

/** The implementation of a contract: its handler, alone where nothing else is required. */
export type Implementation<C extends Contract, Prepared, Unit, Answers> =
  | (Record<never, never> extends Dependencies<C, Answers> ? Handle<C, Prepared, Unit>['handle'] : never)
  | (Handle<C, Prepared, Unit> & Dependencies<C, Answers>)

type Handled<C extends Contract, Prepared, Unit> = Parameters<Handle<C, Prepared, Unit>['handle']>[0]

/** The same for any contract, as the pipeline uses it. */
interface AnyImplementation<C extends Contract, Prepared, Unit, Answers> extends Handle<C, Prepared, Unit> {
  authorize?: Authorize<C> | undefined
  verify?: Verify | undefined
  answers?: Answers | undefined
  errorPage?: ErrorPage | undefined
}

const runOf =
  <C extends Contract, Prepared, Unit, Answers>(
    { operationId, responses: success }: C,
    { authorize, prepare, handle, answers }: AnyImplementation<C, Prepared, Unit, Answers>,
    inTransaction: InTransaction<Unit, Answers> | undefined,
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
    const agent = authorize ? authorize(asked) : principal && actingAgent(principal)
    const prepared = (await prepare?.(asked)) as Prepared
    const handleIn = (unit?: Unit) => handle({ ...asked, agent, unit, wanted, prepared } as Handled<C, Prepared, Unit>)
    if (inTransaction === undefined || agent === undefined) return handleIn()
    const request = [operationId, path, query, body]
    const bodiless = 204 in success
    return inTransaction({ agent, subject: principal?.subject, idempotencyKey, request, answers, bodiless }, handleIn)
  }

/**
 * Makes a Lambda handler of a contract and its implementation. Caller, path, query and body are checked in this order. It acts for the token's agent,
 * unless `authorize` returns another one, which is asked each time, also where the `Idempotency-Key` already has an answer. `handle` throws
 * AgentErrors, and returns the body of the answer or `answer(body, { headers })`; a contract with pages also takes a `Page`, one that redirects a
 * `Redirect`. https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export const defineOperation = <const C extends Contract, Prepared = undefined, Unit = undefined, Answers = undefined>(
  contract: C,
  implementation: Implementation<C, Prepared, Unit, Answers>,
  inTransaction?: InTransaction<Unit, Answers>,
) => {
  const parts: AnyImplementation<C, Prepared, Unit, Answers> =
    typeof implementation === 'function' ? { handle: implementation } : implementation
  const pipeline = middy<OperationEvent, APIGatewayProxyResult>({ timeoutEarlyInMillis: TIME_TO_ANSWER })
    .onError(refuse(contract, parts.errorPage))
    .before(checkCaller(contract, parts.verify))
    .before(checkParameters(contract))
  if (contract.pages) pipeline.before(({ event }) => keep(event, { wanted: wantedOf(event) }))
  if (contract.body) pipeline.before(checkBody(contract.body, contract))
  const run = runOf(contract, parts, inTransaction)
  return pipeline.handler(async (event: OperationEvent, context) =>
    toResponse(contract, await run(event.checked), {
      requestId: requestIdOf(event, context),
      ifNoneMatch: headerOf(event, 'if-none-match'),
    }),
  )
}
