/** The health of an endpoint: active, failing, disabled, as a machine without clock or table. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EndpointHealth } from '../../../lib/webhooks/endpoint-item.ts'
import { type AttemptResult, FAILING_MS, isWorthWriting, nextHealth } from '../../../lib/webhooks/health.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const HOUR = 3_600_000
const iso = (ms: number) => new Date(START + ms).toISOString()

const accepted = (ms: number): AttemptResult => ({ kind: 'accepted', at: iso(ms) })
const rejected = (ms: number) => ({ kind: 'rejected' as const, at: iso(ms), error: 'status 500' })
const gone = (ms: number): AttemptResult => ({ kind: 'gone', at: iso(ms), error: 'status 410' })
const healthAfter = (...results: AttemptResult[]): EndpointHealth =>
  results.reduce<EndpointHealth>(nextHealth, { status: 'active' })

/** Attempts at growing times, up to some days apart. */
const story = fc
  .array(
    fc.tuple(fc.constantFrom(accepted, rejected, rejected, rejected, gone), fc.integer({ min: 0, max: 60 * HOUR })),
    {
      maxLength: 40,
    },
  )
  .map((steps) => {
    let now = 0
    return steps.map(([make, wait]) => {
      now += wait
      return make(now)
    })
  })

describe('an endpoint', () => {
  test('should be active from its first success', () => {
    expect(healthAfter(accepted(1))).toEqual({ status: 'active', lastSuccessAt: iso(1) })
  })

  test('should be failing since its first failure, and say what went wrong last', () => {
    expect(healthAfter(accepted(1), rejected(2), { ...rejected(3), error: 'connect: ECONNREFUSED' })).toEqual({
      status: 'failing',
      lastSuccessAt: iso(1),
      failingSince: iso(2),
      lastFailureAt: iso(3),
      lastError: 'connect: ECONNREFUSED',
    })
  })

  test('should be active again after any success, and keep what went wrong before', () => {
    expect(healthAfter(rejected(1), accepted(2))).toEqual({
      status: 'active',
      lastSuccessAt: iso(2),
      lastFailureAt: iso(1),
      lastError: 'status 500',
    })
  })

  test('should be disabled by 5 days of nothing but failures, not a millisecond before', () => {
    expect(healthAfter(rejected(0), rejected(FAILING_MS - 1)).status).toBe('failing')
    expect(healthAfter(rejected(0), rejected(FAILING_MS))).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
      disabledAt: iso(FAILING_MS),
      failingSince: iso(0),
    })
    expect(healthAfter(rejected(0), accepted(FAILING_MS - 1), rejected(FAILING_MS)).status).toBe('failing')
  })

  test('should be disabled by 410 immediately', () => {
    expect(healthAfter(accepted(0), gone(1))).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
      disabledAt: iso(1),
    })
  })

  test('should stay disabled for its first reason when what was on its way fails too', () => {
    expect(healthAfter(gone(0), rejected(FAILING_MS), gone(FAILING_MS + 1))).toMatchObject({
      disabledReason: 'gone',
      disabledAt: iso(0),
    })
  })

  test('should not treat a result that arrives late as the last one', () => {
    expect(healthAfter(accepted(5), accepted(3)).lastSuccessAt).toBe(iso(5))
    expect(healthAfter(rejected(5), rejected(3)).lastFailureAt).toBe(iso(5))
  })
})

describe('in any story', () => {
  test('a success makes it active, without a trace of being disabled', () => {
    fc.assert(
      fc.property(story, (results) => {
        const health = healthAfter(...results, accepted(1_000 * FAILING_MS))
        expect(health.status).toBe('active')
        expect(health).not.toHaveProperty('failingSince')
        expect(health).not.toHaveProperty('disabledAt')
        expect(health).not.toHaveProperty('disabledReason')
      }),
    )
  })

  test('it is disabled exactly by a 410, or by failures over 5 days, since the last success', () => {
    fc.assert(
      fc.property(story, (results) => {
        const tail = results.slice(results.findLastIndex(({ kind }) => kind === 'accepted') + 1)
        const [first] = tail
        const disabling = tail.find(
          ({ kind, at }) => kind === 'gone' || Date.parse(at) - Date.parse(first?.at ?? '') >= FAILING_MS,
        )
        const expected = disabling !== undefined ? 'disabled' : first !== undefined ? 'failing' : 'active'
        const health = healthAfter(...results)
        expect(health).toMatchObject({
          status: expected,
          ...(first !== undefined && { failingSince: first.at }),
          ...(disabling !== undefined && {
            disabledAt: disabling.at,
            disabledReason: disabling.kind === 'gone' ? 'gone' : 'failing',
          }),
        })
      }),
    )
  })

  test('a time that is not worth writing is written by a later result: the status is never outdated', () => {
    fc.assert(
      fc.property(story, (results) => {
        let stored: EndpointHealth = { status: 'active' }
        for (const result of results) {
          const next = nextHealth(stored, result)
          if (isWorthWriting(stored, next)) stored = next
          else expect(next.status).toBe(stored.status)
        }
        expect(stored.status).toBe(healthAfter(...results).status)
      }),
    )
  })
})

describe('news', () => {
  const failing = healthAfter(rejected(0))

  test('should be another status, and a time that has moved by a minute', () => {
    expect(isWorthWriting({ status: 'active' }, healthAfter(accepted(0)))).toBe(true)
    expect(isWorthWriting(failing, nextHealth(failing, accepted(1)))).toBe(true)
    expect(isWorthWriting(failing, nextHealth(failing, gone(1)))).toBe(true)
    expect(isWorthWriting(failing, nextHealth(failing, rejected(60_000)))).toBe(true)
  })

  test('should not be the tenth success within a minute, nor the tenth failure', () => {
    expect(isWorthWriting(healthAfter(accepted(0)), healthAfter(accepted(0), accepted(59_999)))).toBe(false)
    expect(isWorthWriting(failing, nextHealth(failing, rejected(59_999)))).toBe(false)
  })
})
