import { expect, test } from 'vitest'
import { isTime, toInstant } from '../../lib/rfc3339.ts'

test.each([
  ['1970-01-02', 86_400_000],
  ['1970-01-01T00:00:01Z', 1000],
  ['1970-01-01T01:00:00.5+01:00', 500],
  ['1970-01-01T23:59:59.999999999-00:00', 86_399_999],
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

test.each([
  ...['24:00:00Z', '23:60:00Z', '23:59:60Z', '12:00:00', '12:00Z', '12:00:00.Z', `12:00:00.${'0'.repeat(10)}Z`],
  ...['12:00:00+24:00', '12:00:00+00:60', '12:00:00z', ' 12:00:00Z', '12:00:00Z '],
])('%j is no time, alone or after a date', (time) => {
  expect(isTime(time)).toBe(false)
  expect(toInstant(`1970-01-01T${time}`)).toBeUndefined()
})

test.each(['00:00:00Z', '23:59:59.123456789+23:59'])('%j is a time', (time) => {
  expect(isTime(time)).toBe(true)
})
