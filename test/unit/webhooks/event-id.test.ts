/** Ids of events: always the same for the same, never for something else, in order of time, and they say when. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eventIdOf, occurredAtOf } from '../../../lib/webhooks/events.ts'

/** Until the year 10889, where 48 bits end. */
const time = fc
  .date({ min: new Date(0), max: new Date(2 ** 48 - 1), noInvalidDate: true })
  .map((date) => date.getTime())
const parts = fc.array(fc.string(), { maxLength: 6 })

/** `toISOString` writes a year beyond 9999 with a sign, which sorts otherwise; nothing here lives to see one. */
const isoOf = (ms: number): string => new Date(ms).toISOString()

describe('an event id', () => {
  test('is a UUID of version 8', () => {
    fc.assert(
      fc.property(time, parts, (ms, given) => {
        expect(eventIdOf(isoOf(ms), ...given)).toMatch(
          /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
        )
      }),
    )
  })

  test('is the same for the same event', () => {
    fc.assert(
      fc.property(time, parts, (ms, given) => {
        expect(eventIdOf(isoOf(ms), ...given)).toBe(eventIdOf(isoOf(ms), ...given))
      }),
    )
  })

  test('is another one for another event, also where its parts only divide otherwise', () => {
    fc.assert(
      fc.property(time, parts, parts, (ms, a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b))
        expect(eventIdOf(isoOf(ms), ...a)).not.toBe(eventIdOf(isoOf(ms), ...b))
      }),
    )
    expect(eventIdOf(isoOf(0), 'ab', 'c')).not.toBe(eventIdOf(isoOf(0), 'a', 'bc'))
  })

  test('says when the event occurred, to the millisecond', () => {
    fc.assert(
      fc.property(time, parts, (ms, given) => {
        expect(occurredAtOf(eventIdOf(isoOf(ms), ...given))).toBe(isoOf(ms))
      }),
    )
  })

  test('comes after those of earlier events', () => {
    fc.assert(
      fc.property(time, time, (a, b) => {
        fc.pre(a < b)
        expect(eventIdOf(isoOf(a), 'x') < eventIdOf(isoOf(b), 'y')).toBe(true)
      }),
    )
  })
})

test.each([
  '',
  'x',
  'd734a876-e3ca-478c-901f-b447ad6b579f',
  '01a1fa66-656f-8f26-8db4-f2d65fe592a',
  '01A1FA66-656F-8F26-8DB4-F2D65FE592A0',
  '01a1fa66-656f-8f26-8db4-f2d65fe592a0 ',
])('%j is no event id, and says no time', (id) => {
  expect(occurredAtOf(id)).toBeUndefined()
})
