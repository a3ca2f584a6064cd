/**
 * The pipeline of every operation: authentication, path, query, body, authorization, the handler in its transaction,
 * the response or the error.
 */
import middy from '@middy/core'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { actingAgent } from '../auth/access.ts'
import { AgentError, CommittedError } from '../errors.ts'
import type { Contract } from '../interface/contract.ts'
import { checkBody } from './body.ts'
import {
  addChecked,
  type Checked,
  checkCaller,
  headerOf,
  type OperationEvent,
  preferredTypeOf,
  requestIdOf,
  type Verify,
} from './event.ts'
import { checkParameters } from './parameters.ts'
import type { AuthorizedRequest, OperationRequest, Result } from './request.ts'
import { assertMatchesContract, type ErrorPage, respondWithError, toResponse } from './response.ts'

/**
 * The operation ends this many ms before Lambda's timeout, so that a slow dependency causes our 503 and not the
 * gateway's error.
 */
const TIME_TO_ANSWER = 250

/** One run of an operation in a transaction. */
interface Command<Codec> {
  /** The agent for which the operation runs. */
  agent: string
  /** The caller; without a token there is none. */
  subject: string | undefined
  /** Whether the operation accepts an `Idempotency-Key`. */
  idempotent: boolean
  idempotencyKey: string | undefined
  /** All that makes two requests the same, as JSON. */
  request: string
  /** How the response is stored; plain text by default. */
  codec: Codec | undefined
}

/**
 * Runs `handle` in a unit of work and commits its writes with the response, or returns a stored response. The types are
 * parameters, so that operations that only read do not import in-transaction.ts.
 */
export type InTransaction<Unit, Codec> = (
  command: Command<Codec>,
  handle: (unit: Unit) => Promise<Result>,
) => Promise<Result>

interface Handle<C extends Contract, Prepared, Unit> {
  /**
   * Runs once before the transaction, which may be retried: for requests to the web. If the contract is idempotent it
   * must not throw, because a response may already be stored for the `Idempotency-Key`.
   */
  prepare?: (request: OperationRequest<C> & Pick<AuthorizedRequest<C>, 'agent'>) => Promise<Prepared>
  /** A returned `CommittedError` is the response, with the writes committed. */
  handle: (request: AuthorizedRequest<C, Unit> & { prepared: Prepared }) => Promise<Result>
}

/**
 * Returns the agent for which the caller may run the operation; otherwise throws `auth.forbidden`. Without a token: the
 * agent that the path identifies; throws `resource.not_found` if there is none.
 */
type Authorize<C extends Contract> = (request: OperationRequest<C>) => string | Promise<string>

/** Required if the contract meets a condition, otherwise not allowed. */
type RequiredIf<Kind extends boolean, Part> = Kind extends true ? Part : { [Name in keyof Part]?: undefined }

/**
 * Contracts that need `authorize`: a token is valid for its own agent by default, but not for a tenant or organization
 * in the path; and a write without a token has no agent.
 */
type Authorization<C extends Contract> = C extends
  | { security: 'token'; path: `${string}{${'tenantId' | 'orgId'}}${string}` }
  | { security: 'optional' }
  | { security: 'none'; writes: true }
  ? { authorize: Authorize<C> }
  : { authorize?: Authorize<C> }

/**
 * The dependencies of a contract's handler. Each function imports those that it needs, so that other bundles do not
 * contain them: `verify` needs jose, sealed responses need KMS.
 */
type Dependencies<C extends Contract, Codec> = Authorization<C> &
  RequiredIf<C['security'] extends 'optional' ? true : false, { verify: Verify }> &
  RequiredIf<C extends { holdsSecret: true } ? true : false, { codec: Codec }> &
  RequiredIf<C extends { pages: string } ? true : false, { errorPage: ErrorPage }>

/** The implementation of a contract: a handler, with its dependencies if there are any. */
export type Implementation<C extends Contract, Prepared, Unit, Codec> =
  | (Record<never, never> extends Dependencies<C, Codec> ? Handle<C, Prepared, Unit>['handle'] : never)
  | (Handle<C, Prepared, Unit> & Dependencies<C, Codec>)

type Handled<C extends Contract, Prepared, Unit> = Parameters<Handle<C, Prepared, Unit>['handle']>[0]

/** The same for any contract, as the pipeline uses it. */
interface AnyImplementation<C extends Contract, Prepared, Unit, Codec> extends Handle<C, Prepared, Unit> {
  authorize?: Authorize<C> | undefined
  verify?: Verify | undefined
  codec?: Codec | undefined
  errorPage?: ErrorPage | undefined
}

const runOf =
  <C extends Contract, Prepared, Unit, Codec>(
    contract: C,
    { authorize, prepare, handle, codec }: AnyImplementation<C, Prepared, Unit, Codec>,
    inTransaction: InTransaction<Unit, Codec> | undefined,
  ) =>
  async (
    { principal, accessToken, path = {}, query = {}, body, idempotencyKey, preferredType }: Checked = {},
    signal: AbortSignal,
  ): Promise<Result> => {
    // The values have passed the schemas of the type, but the compiler cannot follow them through the event.
    const input = { principal, accessToken, path, query, body, signal } as OperationRequest<C>
    const agent = authorize ? await authorize(input) : principal && actingAgent(principal)
    // First, because later steps may change the body, and may be repeated.
    const request = idempotencyKey === undefined ? '' : JSON.stringify([contract.operationId, path, query, body])
    const prepared = (await prepare?.({ ...input, agent } as Handled<C, Prepared, Unit>)) as Prepared
    // Before the commit: nothing is written if the response is invalid.
    const handleIn = async (unit?: Unit) => {
      const result = await handle({ ...input, agent, unit, preferredType, prepared } as Handled<C, Prepared, Unit>)
      assertMatchesContract(contract, result)
      // After a 503 Lambda freezes the run, and resumes it at the next request, maybe a day later.
      if (signal.aborted) throw new AgentError('store.unavailable', 'the operation has reached its timeout')
      return result
    }
    if (inTransaction === undefined || agent === undefined) return handleIn()
    const { idempotent = false } = contract
    const command = { agent, subject: principal?.subject, idempotent, idempotencyKey, request, codec }
    const result = await inTransaction(command, handleIn)
    if (result instanceof CommittedError) throw result
    return result
  }

/**
 * Creates a Lambda handler from a contract and its implementation. Caller, path, query and body are checked in this
 * order. It runs for the token's agent, unless `authorize` returns another one. `authorize` is called for every
 * request, also if a response is stored for the `Idempotency-Key`. `handle` throws AgentErrors, and returns the body of
 * the response or an `OperationResponse`; with a contract that has pages also a `Page`, with one that redirects a
 * `Redirect`.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export const defineOperation = <const C extends Contract, Prepared = undefined, Unit = undefined, Codec = undefined>(
  contract: C,
  implementation: Implementation<C, Prepared, Unit, Codec>,
  inTransaction?: InTransaction<Unit, Codec>,
) => {
  const parts: AnyImplementation<C, Prepared, Unit, Codec> =
    typeof implementation === 'function' ? { handle: implementation } : implementation
  const pipeline = middy<OperationEvent, APIGatewayProxyResult>({ timeoutEarlyInMillis: TIME_TO_ANSWER })
    .onError(respondWithError(contract, parts.errorPage))
    .before(checkCaller(contract, parts.verify))
    .before(checkParameters(contract))
  if (contract.pages) pipeline.before(({ event }) => addChecked(event, { preferredType: preferredTypeOf(event) }))
  if (contract.body) pipeline.before(checkBody(contract.body, contract))
  const run = runOf(contract, parts, inTransaction)
  return pipeline.handler(async (event: OperationEvent, context, { signal }) =>
    toResponse(contract, await run(event.checked, signal), {
      requestId: requestIdOf(event, context),
      ifNoneMatch: headerOf(event, 'if-none-match'),
    }),
  )
}
