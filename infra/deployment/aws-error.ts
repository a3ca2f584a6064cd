/** Classifies errors of AWS's APIs for operators, and puts them into one line. */

/** The code of an error, such as `AccessDeniedException`. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : '')

const DENIED =
  /^(AccessDenied(Exception)?|AccessDeniedError|UnauthorizedOperation|AuthorizationError(Exception)?|Forbidden(Exception)?|NotAuthorized)$/

/** Error codes of invalid or missing credentials. */
const UNAUTHENTICATED =
  /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|InvalidSignatureException|ExpiredToken(Exception)?|RequestExpired|AuthFailure|InvalidAccessKeyId|CredentialsProviderError|AWS_CREDENTIALS_NOT_FOUND|UNRECOGNIZED_AWS_PROFILE|TokenProviderError|MissingAuthenticationToken)$/

export const isDenied = (error: unknown): boolean => DENIED.test(errorName(error))

/** The credentials are invalid or missing. */
export const isUnauthenticated = (error: unknown): boolean =>
  UNAUTHENTICATED.test(errorName(error)) || UNAUTHENTICATED.test(String(Object(error).code))

/** Its name and the first line of its message, of a bounded length. */
export const errorLine = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'the response is not one of the service'
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  const name = errorName(error)
  return [name === 'Error' ? '' : name, line.slice(0, 300)].filter((part) => part !== '').join(': ')
}
