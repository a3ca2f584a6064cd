import { expect, test } from 'vitest'
import { toInstant } from '../../lib/rfc3339.ts'

test.each([
  ['1970-01-02', 86_400_000],
  ['1970-01-01T00:00:01Z', 1000],
  ['1970-01-01T01:00:00.5+01:00', 500],
  ['0000-01-01', -62_167_219_200_000],
])('%s is an instant', (text, instant) => {
  expect(toInstant(text)).toBe(instant)
})

test.each(['', '1970', '1970-1-1', '1970-02-30', '00:00:00Z', '1970-01-01T00:00', '1 January 1970', ' 1970-01-01'])(
  '%j is none',
  (text) => {
    expect(toInstant(text)).toBeUndefined()
  },
)
