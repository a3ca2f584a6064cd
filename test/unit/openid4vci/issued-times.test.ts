import { describe, expect, test } from 'vitest'
import { issuedTimes } from '../../../lib/openid4vci/issued-times.ts'

const at = (text: string) => new Date(`${text}Z`)
const seconds = (text: string) => at(text).getTime() / 1000
const NOW = at('2026-11-29T14:35:10')
const YEAR = { notBefore: '2026-06-01T00:00:00.000Z', notAfter: '2027-06-01T12:00:30.000Z' }
const times = (exp: unknown, certificate = YEAR) => issuedTimes({ exp }, certificate, NOW)

describe('times of a credential', () => {
  test.each<[string, string, string]>([
    ['over seven days ahead: up to the day', '2026-12-24T10:00:00', '2026-12-25T00:00:00'],
    ['at the end of a day unchanged', '2026-12-24T00:00:00', '2026-12-24T00:00:00'],
    ['a second over seven days ahead: up to the day', '2026-12-06T14:35:11', '2026-12-07T00:00:00'],
    ['seven days ahead: up to the hour', '2026-12-06T14:35:10', '2026-12-06T15:00:00'],
    ['tomorrow: up to the hour', '2026-11-30T09:00:01', '2026-11-30T10:00:00'],
    ['within this hour: up to its end', '2026-11-29T14:50:00', '2026-11-29T15:00:00'],
    ['on the last day of the certificate: not after it', '2027-06-01T12:00:00', '2027-06-01T12:00:30'],
  ])('an end %s', (_, exp, rounded) => {
    expect(times(seconds(exp))).toEqual({ iat: seconds('2026-11-29T00:00:00'), exp: seconds(rounded) })
  })

  test('without an end have none', () => {
    expect(times(undefined)).toEqual({ iat: seconds('2026-11-29T00:00:00') })
  })

  test('begin with a certificate of today', () => {
    const certificate = { ...YEAR, notBefore: '2026-11-29T14:00:00.000Z' }
    expect(times(undefined, certificate)).toEqual({ iat: seconds('2026-11-29T14:00:00') })
  })

  test.each([
    ['an end that has come', seconds('2026-11-29T14:35:10'), YEAR],
    ['a certificate that has ended', undefined, { ...YEAR, notAfter: '2026-11-29T14:35:10.000Z' }],
    ['a certificate that begins later', undefined, { ...YEAR, notBefore: '2026-11-29T14:35:11.000Z' }],
  ])('do not exist with %s', (_, exp, certificate) => {
    expect(times(exp, certificate)).toBeUndefined()
  })
})
