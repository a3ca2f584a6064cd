/** Which public keys of a key set can be imported: invalid ones are left out. */
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { importableKeys, keysOfText } from '../../../lib/auth/importable-keys.ts'
import { type VerifyingKey, verifyingKeys } from '../../../lib/auth/key-set.ts'

const jwkOf = ({ publicKey }: { publicKey: import('node:crypto').KeyObject }): VerifyingKey => {
  const { kty = '', ...members } = publicKey.export({ format: 'jwk' })
  return { kty, ...members }
}
const ed = jwkOf(generateKeyPairSync('ed25519'))
const ec = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }))
const rsa = jwkOf(generateKeyPairSync('rsa', { modulusLength: 2048 }))
const base64url = (...bytes: Buffer[]) => Buffer.concat(bytes).toString('base64url')

test('keys of Ed25519, of P-256 and RSA keys of 2048 bits stay, and what else stands in them', () => {
  const keys = [{ ...ed, kid: 'ed' }, ec, { ...rsa, alg: 'PS256' }]
  expect(importableKeys(keys)).toEqual(keys)
})

test('a key set may begin with a byte order mark', () => {
  expect(keysOfText(`\uFEFF${JSON.stringify({ keys: [ed] })}`)).toEqual([ed])
})

describe('is left out, though its members have the right length:', () => {
  const point = base64url(Buffer.alloc(32, 1))
  test.each<[string, VerifyingKey]>([
    ['a point off the curve', { ...ec, x: point, y: point }],
    ['a modulus of zeros', { ...rsa, n: base64url(Buffer.alloc(257)) }],
    ['a modulus of 2047 bits', { ...rsa, n: base64url(Buffer.alloc(1, 0x7f), Buffer.alloc(255, 255)) }],
    ['a modulus of 1024 bits behind zeros', { ...rsa, n: base64url(Buffer.alloc(128), Buffer.alloc(128, 255)) }],
  ])('%s', (_, key) => {
    expect(verifyingKeys({ keys: [key] })).toEqual([key])
    expect(importableKeys([key, ed])).toEqual([ed])
    expect(keysOfText(JSON.stringify({ keys: [key, ed] }))).toEqual([ed])
    expect(keysOfText(JSON.stringify({ keys: [key] }))).toBe('has no key that could verify a token')
  })
})
