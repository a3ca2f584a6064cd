/** `Retry-After` as RFC 9110 writes it, and as it must not be believed. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { requestedDelay, retryAfterMs } from '../../../lib/egress/retry-after.ts'

const NOW = Date.UTC(1994, 10, 6, 8, 49, 7)

test.each([
  ['0', 0],
  ['120', 120_000],
  [' 120 ', 120_000],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 30_000],
  ['Sunday, 06-Nov-94 08:49:37 GMT', 30_000],
  ['Sun Nov  6 08:49:37 1994', 30_000],
  ['Sat, 05 Nov 1994 08:49:37 GMT', 0],
])('should read %s', (header, expected) => {
  expect(retryAfterMs(header, NOW)).toBe(expected)
})

test.each([
  undefined,
  '',
  'soon',
  '-5',
  '1.5',
  '1e3',
  '0x10',
  '5 minutes',
  '1994-11-06T08:49:37Z',
  'Sun, 6 Nov 1994 08:49:37 GMT',
  'Sun, 06 Nov 1994 08:49:37 CET',
  'Sun, 06 Abc 1994 08:49:37 GMT',
])('should ignore %s', (header) => {
  expect(retryAfterMs(header, NOW)).toBeUndefined()
})

test('should read a two-digit year as past when it would be more than 50 years ahead', () => {
  const now = Date.UTC(2026, 0, 1)
  expect(retryAfterMs('Friday, 01-Jan-27 00:00:00 GMT', now)).toBe(365 * 86_400_000)
  expect(retryAfterMs('Wednesday, 01-Jan-76 00:00:00 GMT', now)).toBe(Date.UTC(2076, 0, 1) - now)
  expect(retryAfterMs('Friday, 01-Jan-77 00:00:00 GMT', now)).toBe(0)
})

test('should read back every date that a server may send, to the second', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }), (date) => {
      const whole = Math.floor(date.getTime() / 1000) * 1000
      expect(retryAfterMs(date.toUTCString(), 0)).toBe(whole)
    }),
  )
})

test('should never throw and never be negative', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer(), (header, now) => {
      expect(retryAfterMs(header, now) ?? 0).toBeGreaterThanOrEqual(0)
    }),
  )
})

test('should count with a status that is about the same request, and with no other', () => {
  const asks = (status: number) =>
    requestedDelay({ status, headers: { 'retry-after': '1' } } as PostOutcome, NOW) === 1_000
  expect([200, 301, 429, 500, 502, 503, 504].filter(asks)).toEqual([429, 502, 503, 504])
})
