/** Which keys and proofs of other agents have expired. */
import { expect, test } from 'vitest'
import { isKeyRevokedOrExpired, isProofExpired } from '../../../lib/agent/web/time-limits.ts'

const at = (ms: number) => new Date(Date.now() + ms).toISOString()

test.each<[string, unknown, boolean]>([
  ['that has passed', at(-1_000), true],
  ['that is to come', at(60_000), false],
  ['that is not a date', 'soon', true],
  ['of a number', 7, true],
  ['of null', null, false],
])('a time %s: %s', (_, time, isOver) => {
  expect(isKeyRevokedOrExpired({ revoked: time })).toBe(isOver)
  expect(isKeyRevokedOrExpired({ expires: time })).toBe(isOver)
  expect(isKeyRevokedOrExpired({ revoked: at(60_000), expires: time })).toBe(isOver)
  expect(isProofExpired({ expires: time })).toBe(isOver)
})

test('without a time neither has expired', () => {
  expect([isKeyRevokedOrExpired({}), isProofExpired({})]).toEqual([false, false])
})
