/** Errors in OAuth's form, which wallets read: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
import { isAgentError } from '../errors.ts'
import type { ErrorBody } from '../interface/contract.ts'
import type { ErrorStatus } from './error-body.ts'

/** RFC 6749, sections 4.1.2.1 and 5.2; RFC 6750, section 3.1. */
const ERRORS: Partial<Record<ErrorStatus, string>> = {
  401: 'invalid_token',
  403: 'access_denied',
  429: 'temporarily_unavailable',
  500: 'server_error',
  503: 'temporarily_unavailable',
}

/** Characters of `error_description`. */
const MAX_DESCRIPTION = 500

interface OAuthErrorBody {
  error: string
  /** Printable ASCII without `"` and `\`. */
  error_description?: string
}

/** The OAuth error of an `oauth.` code; of any other code by its status. */
const nameOf = (error: unknown, status: ErrorStatus): string =>
  isAgentError(error) && error.code.startsWith('oauth.')
    ? error.code.slice('oauth.'.length)
    : (ERRORS[status] ?? 'invalid_request')

/** An error and its body in OAuth's form. Characters that the description may not contain are replaced by `?`. */
export const toOAuthBody = (error: unknown, body: ErrorBody & { statusCode: ErrorStatus }) => {
  const { statusCode, message, details = [] } = body
  const answer: OAuthErrorBody = { error: nameOf(error, statusCode) }
  if (message === undefined) return answer
  const fields = details.map((field) => [field.path, field.message].filter(Boolean).join(': ')).join('; ')
  const description = fields === '' ? message : `${message}: ${fields}`
  answer.error_description = description.slice(0, MAX_DESCRIPTION).replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')
  return answer
}

/** A body that does not match its schema is a 400 in OAuth. */
export const oauthStatus = (status: ErrorStatus): number => (status === 422 ? 400 : status)
