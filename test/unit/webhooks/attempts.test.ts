/** The attempt item: what it keeps of a POST, how much, and for how long. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import {
  type Attempt,
  attemptItem,
  eventPartitions,
  expiryOf,
  storedResponse,
} from '../../../lib/webhooks/event-item.ts'

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
  expiresAt: expiryOf('2026-01-01T00:00:00.123Z'),
}

test('an attempt should lie where its time, its event and its number say, and expire after 30 days', () => {
  expect(attemptItem.encode(ATTEMPT)).toMatchObject({
    pk: { S: expect.stringMatching(/^@endpoint\|e1\|events\|[0-7]$/) },
    sk: { S: '2026-01-01T00:00:00.123Z#event-1#3' },
    kind: { S: 'attempt' },
    expiresAt: { N: String(Date.parse('2026-01-31T00:00:00Z') / 1000) },
  })
})

const FAILURES: Record<NonNullable<PostOutcome['failure']>, true> = {
  ...{ address: true, dns: true, connect: true, tls: true, timeout: true, reset: true, response: true },
}

test.each(Object.keys(FAILURES) as (keyof typeof FAILURES)[])(
  'an attempt that met "%s" should be read as it was written',
  (failure) => {
    const { status: _, ...met } = ATTEMPT
    expect(attemptItem.decode(attemptItem.encode({ ...met, failure }))).toEqual({ ...met, failure })
    expect(attemptItem.decode(attemptItem.encode(ATTEMPT))).toEqual(ATTEMPT)
  },
)

describe('of the response', () => {
  test('should be kept the first KB', () => {
    expect(storedResponse('x'.repeat(5_000))).toBe('x'.repeat(1024))
    expect(storedResponse('short')).toBe('short')
  })

  test('should be kept whole characters, at most 1 KB of them, and the beginning of what came', () => {
    expect(storedResponse(`${'x'.repeat(1023)}ä`)).toBe('x'.repeat(1023))
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 1_200 }), (body) => {
        const response = storedResponse(body)
        expect(body.startsWith(response)).toBe(true)
        expect(Buffer.byteLength(response)).toBeLessThanOrEqual(1024)
        expect(Buffer.byteLength(response)).toBeGreaterThanOrEqual(Math.min(1021, Buffer.byteLength(body)))
      }),
    )
  })
})

test('attempts at one event should be in one partition, those at many events in all of them', () => {
  const partitionOf = (eventId: string, attempt = 1) => attemptItem.addressOf({ ...ATTEMPT, eventId, attempt }).pk
  expect(partitionOf('event-1', 2)).toBe(partitionOf('event-1'))
  const used = new Set(Array.from({ length: 200 }, (_, index) => partitionOf(`event-${index}`)))
  expect([...used].sort()).toEqual(eventPartitions('e1'))
})
