/** Converts errors to responses and log lines: status, body and log fields. */
import { type AgentError, type ErrorCode, isAgentError, isError, isUnavailable, propertyOf } from '../errors.ts'
import type { ErrorBody } from '../interface/contract.ts'

/** The status of every error code. */
const STATUS = {
  'request.malformed': 400,
  'request.too_large': 413,
  'request.unsupported_media_type': 415,
  'request.invalid': 422,
  'auth.unauthorized': 401,
  'auth.forbidden': 403,
  'auth.keys_unavailable': 503,
  'resource.not_found': 404,
  'resource.gone': 410,
  'connection.not_ready': 409,
  'connection.no_endpoint': 409,
  'exchange.out_of_turn': 409,
  'connection.queue_full': 409,
  'endpoint.not_active': 409,
  'invitation.received': 409,
  'invitation.out_of_turn': 409,
  'credential.not_revocable': 409,
  'revocation.no_index': 409,
  'did.exists': 409,
  'key.exists': 409,
  'certificate.too_many': 409,
  'certificate.in_use': 409,
  'openid.id_taken': 409,
  'openid.too_many': 409,
  'openid.in_use': 409,
  'status.out_of_turn': 409,
  'status.index_taken': 409,
  'oauth.invalid_token': 401,
  'oauth.invalid_grant': 400,
  'oauth.unsupported_grant_type': 400,
  'oauth.invalid_credential_request': 400,
  'oauth.unknown_credential_configuration': 400,
  'oauth.unknown_credential_identifier': 400,
  'oauth.invalid_proof': 400,
  'oauth.invalid_nonce': 400,
  'oauth.credential_request_denied': 400,
  'oauth.invalid_notification_request': 400,
  'oauth.invalid_notification_id': 400,
  'schema.exists': 409,
  'definition.exists': 409,
  'definition.not_ready': 409,
  'quota.exceeded': 429,
  'registry.unavailable': 503,
  'store.conflict': 409,
  'store.item_too_large': 413,
  'store.transaction_too_large': 413,
  'store.unavailable': 503,
  'store.query_not_indexed': 500,
  'idempotency.mismatch': 409,
  'anoncreds.unavailable': 409,
  'settings.invalid': 500,
  internal: 500,
} as const satisfies Record<ErrorCode, number>

/** Reason phrases of RFC 9110 (and RFC 6585 for 429): the text of `error`. */
export const REASON_PHRASES = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const

export type ErrorStatus = keyof typeof REASON_PHRASES

/** Text of at most `max` characters: a string, the message of an error, or else the type of the value. */
const textOf = (value: unknown, max: number): string => {
  const text = isError(value) ? propertyOf(value, 'message') : value
  return typeof text === 'string' ? text.slice(0, max) : typeof text
}

const MAX_CHAIN = 8

/** The error and its causes, outermost first. Bounded, because causes can be cyclic. */
const chainOf = (error: unknown): unknown[] => {
  const chain: unknown[] = []
  for (let link = error; link !== undefined && link !== null && chain.length < MAX_CHAIN; ) {
    chain.push(link)
    link = isError(link) ? propertyOf(link, 'cause') : undefined
  }
  return chain
}

/** Whether it is an AgentError. `isError` first, because any value may have been thrown. */
const isOwn = (error: unknown): error is AgentError => isError(error) && isAgentError(error)

/** Maximum number of `details` in a response. */
const MAX_DETAILS = 200

const statusOf = (error: unknown): ErrorStatus => {
  if (isOwn(error)) return STATUS[error.code]
  const hasFailed = (link: unknown) => (isOwn(link) && STATUS[link.code] === 503) || isUnavailable(link)
  return chainOf(error).some(hasFailed) ? 503 : 500
}

const explanation = ({ message, details }: AgentError) => ({
  message,
  ...(details !== undefined && { details: details.slice(0, MAX_DETAILS) }),
})

/**
 * The body of the response. For 401, 403 and our own failures it has only the status and the reason phrase; their
 * details are in the log. A failure of a third party's host has the message that names the host.
 */
export const toErrorBody = (error: unknown): ErrorBody & { statusCode: ErrorStatus } => {
  const statusCode = statusOf(error)
  const body = { statusCode, error: REASON_PHRASES[statusCode] }
  const hasReason =
    statusCode < 500 ? statusCode !== 401 && statusCode !== 403 : isOwn(error) && error.host !== undefined
  const explained = isOwn(error) && hasReason
  return explained ? { ...body, ...explanation(error) } : body
}

/** Seconds of the header `Retry-After`, if the error has one (RFC 9110, section 10.2.3). */
export const retryAfterOf = (error: unknown): number | undefined =>
  (isOwn(error) ? error.retryAfter : undefined) ?? (statusOf(error) === 503 ? 1 : undefined)

/** Maximum lengths of texts in the log, in characters. */
const MAX_LOGGED = 500
const MAX_STACK = 4000
const MAX_PATH = 100

/**
 * A part of a path that may come from a schema, or an index. Any other name was chosen by the caller and is not logged.
 */
const NAMES = /^[\w@-]{1,100}(?:\.[\w@-]{1,100})*(?=\.|$)/

const loggedPath = (path: string): string => NAMES.exec(path)?.[0].slice(0, MAX_PATH) ?? ''

const describe = (link: unknown): Record<string, unknown> => ({
  ...(isError(link) && { name: textOf(propertyOf(link, 'name'), MAX_LOGGED) }),
  ...(isOwn(link) && { code: link.code }),
  message: textOf(isError(link) ? propertyOf(link, 'message') : link, MAX_LOGGED),
})

/** The log fields of any thrown value: status, chain of causes, and the stack of internal errors. Never a body. */
export const toErrorLog = (error: unknown): Record<string, unknown> => {
  const status = statusOf(error)
  const [first, ...causes] = chainOf(error).map(describe)
  return {
    status,
    ...first,
    ...(causes.length > 0 && { causes }),
    ...(isOwn(error) && error.details && { fields: error.details.slice(0, 20).map(({ path }) => loggedPath(path)) }),
    ...(status === 500 && isError(error) && { stack: textOf(propertyOf(error, 'stack'), MAX_STACK) }),
  }
}
