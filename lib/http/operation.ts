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
 * gateway's.
 */
const TIME_TO_ANSWER = 250

/** A run of an operation that changes something. */
interface Command<Codec> {
  /** The agent that the operation acts for. */
  agent: string
  /** The caller; without a token there is none. */
  subject: string | undefined
  /** Whether the operation takes an `Idempotency-Key`. */
  idempotent: boolean
  idempotencyKey: string | undefined
  /** Everything that identifies the request, as JSON. */
  request: string
  /** How the response is stored; plain text by default. */
  codec: Codec | undefined
}

/**
 * Runs `handle` in a unit of work, or returns its stored response. Its writes are committed together with it.
 * in-transaction.ts implements it and names both types: operations that only read do not import them.
 */
export type InTransaction<Unit, Codec> = (
  command: Command<Codec>,
  handle: (unit: Unit) => Promise<Result>,
) => Promise<Result>

interface Handle<C extends Contract, Prepared, Unit> {
  /**
   * Runs once before the transaction, which may be repeated: for reading from the web. Where the contract is idempotent it
   * must not throw, because the `Idempotency-Key` may have a response already.
   */
  prepare?: (request: OperationRequest<C> & Pick<AuthorizedRequest<C>, 'agent'>) => Promise<Prepared>
  /** A returned `CommittedError` is the response, with the writes committed. */
  handle: (request: AuthorizedRequest<C, Unit> & { prepared: Prepared }) => Promise<Result>
}

/**
 * Returns the agent for which the caller may run the operation; throws `auth.forbidden` otherwise. Without a token: the
 * agent that the path leads to; throws `resource.not_found` if there is none.
 */
type Authorize<C extends Contract> = (request: OperationRequest<C>) => string | Promise<string>

/** Required for contracts of one kind, and not allowed for all others. */
type Where<Kind extends boolean, Part> = Kind extends true ? Part : { [Name in keyof Part]?: undefined }

/**
 * A token's agent may be acted for by default, but not a tenant or an organization that the path names. Without a token
 * there is no agent to write for.
 */
type Authorization<C extends Contract> = C extends
  | { security: 'token'; path: `${string}{${'tenantId' | 'orgId'}}${string}` }
  | { security: 'optional' }
  | { security: 'none'; writes: true }
  ? { authorize: Authorize<C> }
  : { authorize?: Authorize<C> }

/**
 * What a contract needs beside a handler. Each function imports its own, so that other bundles do not contain them:
 * verifying needs jose, sealed responses KMS.
 */
type Dependencies<C extends Contract, Codec> = Authorization<C> &
  Where<C['security'] extends 'optional' ? true : false, { verify: Verify }> &
  Where<C extends { holdsSecret: true } ? true : false, { codec: Codec }> &
  Where<C extends { pages: string } ? true : false, { errorPage: ErrorPage }>

/** The implementation of a contract: its handler, alone where nothing else is required. */
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
    // The values have passed the schemas from which the type is derived, but the compiler can't follow them through the
    // event.
    const input = { principal, accessToken, path, query, body, signal } as OperationRequest<C>
    const agent = authorize ? await authorize(input) : principal && actingAgent(principal)
    // First, because what follows may change the body. It may also run again.
    const request = idempotencyKey === undefined ? '' : JSON.stringify([contract.operationId, path, query, body])
    const prepared = (await prepare?.({ ...input, agent } as Handled<C, Prepared, Unit>)) as Prepared
    // Before the commit: nothing is written where the response fails.
    const handleIn = async (unit?: Unit) => {
      const result = await handle({ ...input, agent, unit, preferredType, prepared } as Handled<C, Prepared, Unit>)
      assertMatchesContract(contract, result)
      // Lambda freezes what still runs after a 503, and goes on with it at the next request, a day later perhaps.
      if (signal.aborted) throw new AgentError('store.unavailable', 'the time is up')
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
 * Makes a Lambda handler of a contract and its implementation. Caller, path, query and body are checked in this order.
 * It acts for the token's agent, unless `authorize` returns another one, which is asked each time, also where the
 * `Idempotency-Key` already has a response. `handle` throws AgentErrors, and returns the body of the response or an
 * `OperationResponse`; a contract with pages also takes a `Page`, one that redirects a `Redirect`.
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
