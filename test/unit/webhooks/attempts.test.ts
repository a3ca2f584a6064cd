/** The attempt item: what it keeps of a POST, how much, and for how long. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ATTEMPT_FAILURES,
  type Attempt,
  attemptOutcome,
  fromAttemptItem,
  toAttemptItem,
} from '../../../lib/webhooks/attempts.ts'

const ATTEMPT: Attempt = {
  endpointId: 'e1',
  eventId: 'event-1',
  type: 'endpoint.test',
  attempt: 3,
  startedAt: '2026-01-01T00:00:00.123Z',
  status: 503,
  milliseconds: 17,
  response: 'no',
  outcome: 'failed',
}

test('an attempt should lie where its time, its event and its number say, and expire after 30 days', () => {
  expect(toAttemptItem(ATTEMPT)).toMatchObject({
    pk: { S: '@endpoint|e1|attempts' },
    sk: { S: '2026-01-01T00:00:00.123Z#event-1#3' },
    kind: { S: 'attempt' },
    expiresAt: { N: String(Date.parse('2026-01-31T00:00:00Z') / 1000) },
  })
})

test.each(ATTEMPT_FAILURES)('an attempt that met "%s" should be read as it was written', (failure) => {
  const { status: _, ...met } = ATTEMPT
  expect(fromAttemptItem(toAttemptItem({ ...met, failure }))).toEqual({ ...met, failure })
  expect(fromAttemptItem(toAttemptItem(ATTEMPT))).toEqual(ATTEMPT)
})

describe('of the response', () => {
  const kept = (body: string) => attemptOutcome({ headers: {}, body, milliseconds: 1 }, false).response

  test('should be kept the first KB', () => {
    expect(kept('x'.repeat(5_000))).toBe('x'.repeat(1024))
    expect(kept('short')).toBe('short')
  })

  test('should be kept whole characters, at most 1 KB of them, and the beginning of what came', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 1_200 }), (body) => {
        const response = kept(body)
        expect(body.startsWith(response)).toBe(true)
        expect(Buffer.byteLength(response)).toBeLessThanOrEqual(1024)
        expect(Buffer.byteLength(response)).toBeGreaterThanOrEqual(Math.min(1021, Buffer.byteLength(body)))
      }),
    )
  })
})
