/** Errors of AWS's APIs, as an operator reads them. */
import { expect, test } from 'vitest'
import { errorLine, isDenied, isUnauthenticated } from '../../../infra/deployment/aws-error.ts'

test('one is a line of its name and no more than 300 characters of its message', () => {
  const error = Object.assign(new Error(`${'x'.repeat(400)}\nat file.js`), { name: 'Throttling' })
  expect(errorLine(error)).toBe(`Throttling: ${'x'.repeat(300)}`)
  expect(errorLine(new Error('no answer'))).toBe('no answer')
  expect(errorLine('no error at all')).toBe('no error at all')
  expect(errorLine(new SyntaxError('Unexpected token <'))).toBe('the response is not one of the service')
})

const named = (name: string) => Object.assign(new Error(), { name })

test.each([
  ...['AccessDenied', 'AccessDeniedException', 'AccessDeniedError', 'UnauthorizedOperation', 'AuthorizationError'],
  ...['AuthorizationErrorException', 'Forbidden', 'ForbiddenException', 'NotAuthorized'],
])('%s is a missing permission, not an error of the credentials', (name) => {
  expect(isDenied(named(name))).toBe(true)
  expect(isUnauthenticated(named(name))).toBe(false)
})

test.each([
  ...['InvalidClientTokenId', 'UnrecognizedClientException', 'SignatureDoesNotMatch', 'InvalidSignatureException'],
  ...['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'AuthFailure', 'InvalidAccessKeyId'],
  ...['CredentialsProviderError', 'TokenProviderError', 'MissingAuthenticationToken'],
])('%s is an error of the credentials, not a missing permission', (name) => {
  expect(isUnauthenticated(named(name))).toBe(true)
  expect(isDenied(named(name))).toBe(false)
})

test.each(['AWS_CREDENTIALS_NOT_FOUND', 'UNRECOGNIZED_AWS_PROFILE'])(
  'the Serverless CLI says by the code %s that there are no credentials',
  (code) => {
    expect(isUnauthenticated(Object.assign(new Error(), { code }))).toBe(true)
  },
)
