/** Errors of AWS's APIs as an operator reads them: one line, with the right that is missing where that is it. */

/** The code of an error, such as `AccessDeniedException`. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : '')

const DENIED =
  /^(AccessDenied(Exception)?|AccessDeniedError|UnauthorizedOperation|AuthorizationError(Exception)?|Forbidden(Exception)?|NotAuthorized)$/

/** Codes of credentials that are not taken by any service. */
const NOT_KNOWN =
  /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|ExpiredToken(Exception)?|RequestExpired|AuthFailure|InvalidAccessKeyId|CredentialsProviderError|AWS_CREDENTIALS_NOT_FOUND|UNRECOGNIZED_AWS_PROFILE|TokenProviderError|MissingAuthenticationToken)$/

export const isDenied = (error: unknown): boolean => DENIED.test(errorName(error))

/** Nobody is known by these credentials, or there are none. */
export const isUnauthenticated = (error: unknown): boolean =>
  NOT_KNOWN.test(errorName(error)) || NOT_KNOWN.test(String(Object(error).code))

/** The first line of what it says, of a bounded length. */
export const errorLine = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'the answer is not one of the service'
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  const name = errorName(error)
  return [name === 'Error' ? '' : name, line.slice(0, 300)].filter((part) => part !== '').join(': ')
}
