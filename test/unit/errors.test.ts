/** Reasons that quote third parties. */
import { expect, test } from 'vitest'
import { shortReason } from '../../lib/errors.ts'

test.each([
  ['x'.repeat(300), 'x'.repeat(300)],
  ['x'.repeat(301), 'x'.repeat(300)],
  [`${'x'.repeat(299)}😀`, `${'x'.repeat(299)}\uFFFD`],
])('a reason is cut after 300 characters, and never within one: %#', (reason, short) => {
  expect(shortReason(reason)).toBe(short)
  expect(shortReason(reason, 10)).toBe('x'.repeat(10))
})
