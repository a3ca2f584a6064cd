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

test('missing credentials are known by the name of the SDK’s error, and by the code of Serverless’s', () => {
  expect(isUnauthenticated(Object.assign(new Error(), { name: 'ExpiredTokenException' }))).toBe(true)
  expect(isUnauthenticated(Object.assign(new Error(), { code: 'AWS_CREDENTIALS_NOT_FOUND' }))).toBe(true)
  expect(isUnauthenticated(Object.assign(new Error(), { name: 'AccessDenied' }))).toBe(false)
})

test.each([
  ...['InvalidClientTokenId', 'UnrecognizedClientException', 'SignatureDoesNotMatch', 'InvalidSignatureException'],
  ...['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'AuthFailure', 'InvalidAccessKeyId'],
  ...['CredentialsProviderError', 'UNRECOGNIZED_AWS_PROFILE', 'TokenProviderError', 'MissingAuthenticationToken'],
])('%s is about the credentials, not about a right that they lack', (name) => {
  const error = Object.assign(new Error(), { name })
  expect([isUnauthenticated(error), isDenied(error)]).toEqual([true, false])
})

test.each([
  ...['AccessDenied', 'AccessDeniedException', 'AccessDeniedError', 'UnauthorizedOperation', 'AuthorizationError'],
  ...['AuthorizationErrorException', 'Forbidden', 'ForbiddenException', 'NotAuthorized'],
])('%s is about a right that the credentials lack', (name) => {
  const error = Object.assign(new Error(), { name })
  expect([isUnauthenticated(error), isDenied(error)]).toEqual([false, true])
})
