/** Which keys and proofs of other agents are over. */
import { expect, test } from 'vitest'
import { isKeyOver, isProofOver } from '../../../lib/agent/web/time-limits.ts'

const at = (ms: number) => new Date(Date.now() + ms).toISOString()

test.each<[string, unknown, boolean]>([
  ['that has passed', at(-1_000), true],
  ['that is to come', at(60_000), false],
  ['that nobody can read', 'soon', true],
  ['of a number', 7, true],
  ['of null', null, false],
])('a time %s: %s', (_, time, isOver) => {
  expect(isKeyOver({ revoked: time })).toBe(isOver)
  expect(isKeyOver({ expires: time })).toBe(isOver)
  expect(isKeyOver({ revoked: at(60_000), expires: time })).toBe(isOver)
  expect(isProofOver({ expires: time })).toBe(isOver)
})

test('without a time neither is over', () => {
  expect([isKeyOver({}), isProofOver({})]).toEqual([false, false])
})
