/** Which errors can be retried: outages, conflicts and wrong settings, but not those that the data cause. */
import { expect, test } from 'vitest'
import { AgentError } from '../../../lib/errors.ts'
import { isRetryable } from '../../../lib/store/aws-errors.ts'
import { failure } from './started-table.ts'

test.each<[boolean, Error]>([
  [true, new AgentError('store.unavailable', 'no answer')],
  [true, new AgentError('store.conflict', 'another writer')],
  [true, new AgentError('settings.invalid', 'a setting is missing')],
  [true, failure('TransactionConflictException')],
  [true, failure('InternalServerError', { $fault: 'server' })],
  [true, failure('Unknown', { $metadata: { httpStatusCode: 500 } })],
  [true, failure('TooManyRequestsException', { $metadata: { httpStatusCode: 429 } })],
  [true, failure('ThrottlingException')],
  [true, Object.assign(new Error('no answer'), { code: 'ECONNREFUSED' })],
  [
    true,
    failure('TransactionCanceledException', { CancellationReasons: [{ Code: 'None' }, { Code: 'ThrottlingError' }] }),
  ],
  [true, failure('AccessDeniedException')],
  [true, failure('ResourceNotFoundException')],
  [true, failure('ExpiredTokenException')],
  [true, failure('InvalidSignatureException')],
  [true, failure('MissingAuthenticationTokenException')],
  [true, failure('UnrecognizedClientException')],
  [true, failure('CredentialsProviderError')],
  [false, new AgentError('internal', 'a bug')],
  [false, failure('ValidationException', { $metadata: { httpStatusCode: 400 } })],
  [false, failure('TransactionCanceledException', { CancellationReasons: [{ Code: 'ValidationError' }] })],
  [false, new TypeError('a bug')],
])('%s: %o', (passes, error) => {
  expect(isRetryable(error)).toBe(passes)
})
