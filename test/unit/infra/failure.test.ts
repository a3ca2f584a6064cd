/** Failures of a stage, as an operator reads them: a line each, once. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { reason, StageFailure, systemCode, tell } from '../../../infra/failure.ts'

test('a reason is the first line of an error, or what was thrown in its place', () => {
  expect(reason(new Error('no table\n    at file.js'))).toBe('no table')
  expect(reason('no table\nat all')).toBe('no table')
})

test('the code of a system’s error is a text', () => {
  expect(systemCode(Object.assign(new Error(), { code: 'EADDRINUSE' }))).toBe('EADDRINUSE')
  for (const other of [new Error(), Object.assign(new Error(), { code: 7 }), { code: 'EADDRINUSE' }])
    expect(systemCode(other)).toBeUndefined()
})

test('a failure is reported once, also if it is reported before it is thrown', () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => void vi.restoreAllMocks())
  const failure = new StageFailure('Port 3000 is taken')
  for (const one of [failure, failure, new StageFailure('another')]) tell(one)
  expect(written.mock.calls).toEqual([['Port 3000 is taken'], ['another']])
})
