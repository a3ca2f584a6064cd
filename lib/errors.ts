/** Errors of the service: one class with a closed set of codes, which lib/http maps to statuses. */

/**
 * Codes for wallets: `oauth.` and the error of OpenID4VCI 1.0, sections 6.3, 8.3.1.2, 11.3, or RFC 6750, section 3.1.
 */
type OAuthErrorCode =
  | 'oauth.invalid_token'
  | 'oauth.invalid_grant'
  | 'oauth.unsupported_grant_type'
  | 'oauth.invalid_credential_request'
  | 'oauth.unknown_credential_configuration'
  | 'oauth.unknown_credential_identifier'
  | 'oauth.invalid_proof'
  | 'oauth.invalid_nonce'
  | 'oauth.credential_request_denied'
  | 'oauth.invalid_notification_request'
  | 'oauth.invalid_notification_id'

/** What callers and the HTTP pipeline switch on. */
export type ErrorCode =
  | 'request.malformed'
  | 'request.too_large'
  | 'request.unsupported_media_type'
  | 'request.invalid'
  | 'auth.unauthorized'
  | 'auth.forbidden'
  | 'auth.keys_unavailable'
  | 'resource.not_found'
  | 'resource.gone'
  | 'connection.not_ready'
  | 'connection.no_endpoint'
  | 'exchange.out_of_turn'
  | 'connection.queue_full'
  | 'endpoint.not_active'
  | 'invitation.received'
  | 'invitation.out_of_turn'
  | 'credential.not_revocable'
  | 'revocation.no_index'
  | 'did.exists'
  | 'key.exists'
  | 'certificate.too_many'
  | 'certificate.in_use'
  | 'openid.id_taken'
  | 'openid.too_many'
  | 'openid.in_use'
  | 'status.out_of_turn'
  | 'status.index_taken'
  | OAuthErrorCode
  | 'schema.exists'
  | 'definition.exists'
  | 'definition.not_ready'
  | 'quota.exceeded'
  | 'registry.unavailable'
  | 'store.conflict'
  | 'store.item_too_large'
  | 'store.transaction_too_large'
  | 'store.unavailable'
  | 'store.query_not_indexed'
  | 'idempotency.mismatch'
  | 'anoncreds.unavailable'
  | 'settings.invalid'
  | 'internal'

/** One field of a request that does not match its schema. `path` is dotted (`proofFormats.indy.name`). */
export interface FieldIssue {
  path: string
  message: string
}

interface AgentErrorOptions {
  details?: FieldIssue[]
  cause?: unknown
  /** Seconds after which the same request may succeed: the header `Retry-After`. */
  retryAfter?: number
  /** The third party's host that has caused a 503. The caller gets the `message` that names it. */
  host?: string | undefined
}

/** An error of the service. `message` may reach the caller, so it contains no secrets; `cause` is only logged. */
export class AgentError extends Error {
  readonly code: ErrorCode
  readonly details: FieldIssue[] | undefined
  readonly retryAfter: number | undefined
  readonly host: string | undefined

  constructor(code: ErrorCode, message: string, { details, cause, retryAfter, host }: AgentErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'AgentError'
    this.code = code
    this.details = details
    this.retryAfter = retryAfter
    this.host = host
  }
}

/**
 * An error that an operation returns instead of throwing it, so that its writes are committed, such as a counter of
 * attempts. The response is that of an AgentError with this code.
 */
export class CommittedError extends AgentError {}

/** The error of a field that is invalid because of stored data or another field. `path` is dotted. */
export const invalidField = (path: string, message: string): AgentError =>
  new AgentError('request.invalid', 'The request is not valid', { details: [{ path, message }] })

export const isAgentError = (error: unknown, code?: ErrorCode): error is AgentError =>
  error instanceof AgentError && (code === undefined || error.code === code)

/**
 * The first `length` UTF-16 code units of a reason, which may quote third parties. Half a character at the end is
 * replaced, because other agents reject it (RFC 8259, section 8.2).
 */
export const shortReason = (reason: string, length = 300): string => reason.slice(0, length).toWellFormed()

/** An error for the log: its code or name, because messages may quote contents; of our internal errors the message. */
export const errorName = (error: unknown): string => {
  if (isAgentError(error)) return error.code === 'internal' ? error.message : error.code
  return error instanceof Error ? error.name : 'unknown'
}

// Any value may have been thrown: its message may be an object, a getter may throw.

/** Reads a value by code that may throw; then undefined. */
const readSafely = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Also works for a proxy, which may throw. */
export const isError = (value: unknown): value is Error => readSafely(() => value instanceof Error) ?? false

/** A property of an object; undefined if there is none or its getter throws. */
export const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? readSafely(() => Reflect.get(value, name)) : undefined

/** The codes of a cancelled DynamoDB transaction, one for each write, in their order. */
export const cancellationReasons = (error: unknown): unknown[] =>
  readSafely(() => Array.from(Object(error).CancellationReasons ?? [], (reason) => propertyOf(reason, 'Code'))) ?? []

/**
 * Throttling, timeouts and internal errors of AWS, and Node.js codes of broken connections. `HPE_`: its HTTP parser
 * cannot read the response.
 */
const UNAVAILABLE =
  /Throttl|Throughput|RequestLimit|^LimitExceeded|Timeout|InternalServer|InternalFailure|KMSInternal|TransactionInProgress|Unavailable|Networking|^(ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|HPE_)|SOCKET/

/** Whether AWS or another host has failed, not this service. */
export const isUnavailable = (error: unknown): boolean => {
  const status = propertyOf(propertyOf(error, '$metadata'), 'httpStatusCode')
  const names = [propertyOf(error, 'name'), propertyOf(error, 'code'), ...cancellationReasons(error)]
  return (
    (typeof status === 'number' && (status >= 500 || status === 429)) ||
    names.some((name) => typeof name === 'string' && UNAVAILABLE.test(name))
  )
}
