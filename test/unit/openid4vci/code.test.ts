/** Pre-authorized codes and PINs: what they look like, and that each is of one session. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { codeOf, newPin, pinMacOf } from '../../../lib/openid4vci/code.ts'

const mac = (text: string) => createHmac('sha256', 'key').update(text).digest('base64url')
const session = { id: 'abcdefghijklmnopqrstuv', createdAt: '2026-01-01T00:00:00.000Z' }

test('a code has the id of its session, and is the same each time', () => {
  expect(codeOf(mac, session)).toMatch(/^abcdefghijklmnopqrstuv\.[\w-]{43}$/)
  expect(codeOf(mac, session)).toBe(codeOf(mac, { ...session }))
})

test('a code is of one session, one creation, one issuer', () => {
  const other = (text: string) => createHmac('sha256', 'other').update(text).digest('base64url')
  const codes = [
    codeOf(mac, session),
    codeOf(mac, { ...session, id: 'abcdefghijklmnopqrstuw' }),
    codeOf(mac, { ...session, createdAt: '2026-01-01T00:00:00.001Z' }),
    codeOf(other, session),
  ].map((code) => code.split('.')[1])
  expect(new Set(codes).size).toBe(4)
})

test('a MAC of a PIN is of one session, and is not a code', () => {
  const macs = [pinMacOf(mac, 'a', '1234'), pinMacOf(mac, 'b', '1234'), pinMacOf(mac, 'a', '1235')]
  expect(new Set(macs).size).toBe(3)
  const code = codeOf(mac, { id: 'a', createdAt: '1234' })
  expect(pinMacOf(mac, 'a', '1234')).not.toBe(code.split('.')[1])
})

test.each([
  ['numeric', 4, /^[0-9]{4}$/, 10],
  ['text', 12, /^[A-HJ-NP-Z2-9]{12}$/, 32],
] as const)(
  'a PIN of %s characters has the length that was asked for, and all characters come',
  (input_mode, length, form, characters) => {
    const pins = Array.from({ length: 200 }, () => newPin({ length, input_mode }))
    for (const pin of pins) expect(pin).toMatch(form)
    expect(new Set(pins.join('')).size).toBe(characters)
    expect(new Set(pins).size).toBeGreaterThan(180)
  },
)
