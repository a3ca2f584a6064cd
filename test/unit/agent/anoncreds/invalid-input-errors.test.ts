/** Which errors of the library are about what another agent has sent. */
import { AnoncredsError } from '@hyperledger/anoncreds-shared'
import { expect, test } from 'vitest'
import { isInvalidInputError } from '../../../../lib/agent/formats/anoncreds/invalid-input-errors.ts'

/** https://github.com/hyperledger/anoncreds-rs: src/error.rs. */
test.each([
  ['input', 1, true],
  ['input or output', 2, false],
  ['an invalid state', 3, true],
  ['an unexpected error', 4, false],
  ['a revoked credential', 5, true],
  ['an index of revocation', 6, true],
  ['a rejected proof', 7, true],
  ['its own code', 100, false],
])('an error about %s (%i) is a judgement: %s', (_, code, isOne) => {
  expect(isInvalidInputError(new AnoncredsError({ code, message: 'why' }))).toBe(isOne)
})

test('an error that is not of the library does not mean invalid input', () => {
  expect(isInvalidInputError(Object.assign(new Error('why'), { code: 1 }))).toBe(false)
})
