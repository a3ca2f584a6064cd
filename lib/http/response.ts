/** Converts results of operations, and errors, to responses for the gateway. */
import type { APIGatewayProxyResult } from 'aws-lambda'
import * as v from 'valibot'
import { AgentError, CommittedError, isAgentError } from '../errors.ts'
import { type Contract, type ErrorBody, successOf } from '../interface/contract.ts'
import { log } from '../log.ts'
import { retryAfterOf, toErrorBody, toErrorLog } from './error-body.ts'
import { type OperationMiddleware, preferredTypeOf, requestIdOf } from './event.ts'
import { oauthStatus, toOAuthBody } from './oauth-error.ts'
import { Document, OperationResponse, Page, Redirect, type Result } from './request.ts'
import { toFieldIssues } from './validate.ts'

/** Headers that scripts of other sites may read. */
const EXPOSED = 'x-request-id, link, retry-after'

const headersOf = (requestId: string) => ({
  'x-request-id': requestId,
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  // Responses contain personal data, and secrets that are shown once.
  // https://cheatsheetseries.owasp.org/cheatsheets/REST_Security_Cheat_Sheet.html#security-headers
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
})

// Results that contracts may allow instead of JSON.
const isDocument = (contract: Contract, result: Result): result is Document =>
  contract.contentType !== undefined && result instanceof Document
const isPage = (contract: Contract, result: Result): result is Page =>
  contract.pages !== undefined && result instanceof Page
const isRedirect = (contract: Contract, result: Result): result is Redirect =>
  contract.redirects === true && result instanceof Redirect

/** Throws `internal` if the result of an operation does not match its contract. */
export const assertMatchesContract = (contract: Contract, result: Result): void => {
  if (isDocument(contract, result) || isPage(contract, result) || isRedirect(contract, result)) return
  if (contract.writes && result instanceof CommittedError) return
  const body = result instanceof OperationResponse ? result.body : result
  const checked = v.safeParse(successOf(contract).schema, body)
  if (checked.success) return
  // Paths only: the values of a response are private to the caller.
  const details = toFieldIssues(checked.issues).map(({ path }) => ({ path, message: 'does not match the contract' }))
  throw new AgentError('internal', `The response of ${contract.operationId} does not match its contract`, { details })
}

interface RequestHeaders {
  requestId: string
  /** The header `If-None-Match`, if the caller may already have the document. */
  ifNoneMatch?: string | undefined
}

/** The response for a result that matches the contract. */
export const toResponse = (
  contract: Contract,
  result: Result,
  { requestId, ifNoneMatch }: RequestHeaders,
): APIGatewayProxyResult => {
  if (isDocument(contract, result)) return documentResponse(contract, result, { requestId, ifNoneMatch })
  if (isPage(contract, result)) return { statusCode: 200, headers: pageHeaders(requestId), body: result.html }
  if (isRedirect(contract, result)) {
    const headers = { location: result.location, ...PRIVATE, ...headersOf(requestId) }
    return { statusCode: 302, headers, body: '' }
  }
  const { body, headers } = result instanceof OperationResponse ? result : new OperationResponse(result, {})
  return {
    statusCode: successOf(contract).status,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
      ...headersOf(requestId),
    },
    body: body === undefined ? '' : JSON.stringify(body),
  }
}

const withoutWeakness = (etag: string): string => etag.trim().replace(/^W\//, '')

/** https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2 */
const isKnown = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch.split(',').some((known) => withoutWeakness(known) === withoutWeakness(etag) || known.trim() === '*')

const documentResponse = (
  contract: Contract,
  { content, caching, contentType = String(contract.contentType) }: Document,
  { requestId, ifNoneMatch }: RequestHeaders,
): APIGatewayProxyResult => {
  const headers = {
    // Also for a 304: the gateway would add JSON's, and caches update their stored headers (RFC 9111, section 3.2).
    'content-type': contentType,
    ...headersOf(requestId),
    ...(caching !== undefined && { 'cache-control': caching.cacheControl, etag: caching.etag }),
  }
  if (caching !== undefined && isKnown(caching.etag, ifNoneMatch)) return { statusCode: 304, headers, body: '' }
  const text = typeof content === 'string'
  return {
    statusCode: successOf(contract).status,
    headers,
    body: text ? content : Buffer.from(content).toString('base64'),
    ...(!text && { isBase64Encoded: true }),
  }
}

/** A URL may contain an invitation, which other websites must not see. */
const PRIVATE = { 'referrer-policy': 'no-referrer' }

/** Only content of this origin, without inline scripts or styles. https://www.w3.org/TR/CSP3/ */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"

const pageHeaders = (requestId: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': PAGE_POLICY,
  ...PRIVATE,
  ...headersOf(requestId),
})

/** RFC 6750, section 3 */
const INVALID_TOKEN = 'Bearer error="invalid_token"'

/** Headers of an error: a challenge for a 401 (RFC 9110, section 11.6.1), and `Retry-After`. */
const headersOfError = (error: unknown, status: number): Record<string, string> => {
  const retryAfter = retryAfterOf(error)
  return {
    ...(status === 401 && {
      'www-authenticate': isAgentError(error, 'oauth.invalid_token') ? INVALID_TOKEN : 'Bearer',
    }),
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  }
}

/** Renders the page of an error. */
export type ErrorPage = (error: ErrorBody) => string

/** Middleware that responds with the error and logs it once. */
export const respondWithError =
  (contract: Contract, errorPage?: ErrorPage): OperationMiddleware =>
  ({ event, context, error }) => {
    const requestId = requestIdOf(event, context)
    const body = toErrorBody(error)
    const { statusCode } = body
    const failed = statusCode >= 500
    log(failed ? 'error' : 'warn', failed ? 'request failed' : 'request rejected', {
      event: failed ? 'request.failed' : 'request.refused',
      ...{ requestId, operationId: contract.operationId, ...toErrorLog(error) },
    })
    const headers = { ...headersOfError(error, statusCode), ...headersOf(requestId) }
    if (errorPage !== undefined && preferredTypeOf(event) === 'page')
      return { statusCode, headers: { ...headers, ...pageHeaders(requestId) }, body: errorPage(body) }
    return {
      statusCode: contract.errors === 'oauth' ? oauthStatus(statusCode) : statusCode,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(contract.errors === 'oauth' ? toOAuthBody(error, body) : body),
    }
  }
