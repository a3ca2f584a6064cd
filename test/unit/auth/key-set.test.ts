/** Key sets of issuers: which keys are used, and which sets are rejected. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { exportJWK, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import { keysOfText } from '../../../lib/auth/importable-keys.ts'
import { verifyingKeys } from '../../../lib/auth/key-set.ts'

/** What a realm of Keycloak serves: two keys for signing and one for encryption, each with a chain of certificates. */
const KEYCLOAK = readFileSync('test/support/issuers/keycloak-certs.json', 'utf8')

const newKey = async (alg: string) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { secret: await exportJWK(privateKey), open: { ...(await exportJWK(publicKey)), kid: alg, alg, use: 'sig' } }
}
const ed = await newKey('EdDSA')
const ec = await newKey('ES256')
const rsa = await newKey('RS256')

describe('of a realm of Keycloak', () => {
  test('the keys for signing are kept, without certificates', () => {
    const keys = keysOfText(KEYCLOAK)
    expect(keys).toHaveLength(2)
    for (const key of keys) expect(Object.keys(Object(key)).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })

  test('a tenth of its bytes is left', () => {
    expect(KEYCLOAK.length).toBeGreaterThan(10_000)
    expect(JSON.stringify(keysOfText(KEYCLOAK)).length).toBeLessThan(1_100)
  })
})

describe('a key is kept', () => {
  test.each([
    ['Ed25519', ed.open],
    ['P-256', ec.open],
    ['RSA', rsa.open],
    ['one with an exponent of 48 bits', { ...rsa.open, e: 'AQABAQAB' }],
    ['one with a kid of 256 characters', { ...ed.open, kid: 'k'.repeat(256) }],
    ['one that says nothing of its use', { ...ed.open, use: undefined, alg: undefined, kid: undefined }],
  ])('%s', (_, key) => {
    const given = JSON.parse(JSON.stringify(key))
    expect(verifyingKeys({ keys: [given] })).toEqual([given])
  })

  test('when it may verify, though it says so in many words', () => {
    expect(verifyingKeys({ keys: [{ ...ed.open, key_ops: ['verify'], x5u: 'https://x.example', odd: 1 }] })).toEqual([
      ed.open,
    ])
  })
})

/** A modulus of so many bits, as its key set has it. */
const modulus = (bits: number) => Buffer.alloc(bits / 8, 255).toString('base64url')

test('an RSA key has 2048 to 8192 bits', () => {
  const kept = [2040, 2048, 8192, 8200].filter(
    (bits) => verifyingKeys({ keys: [{ ...rsa.open, n: modulus(bits) }] }).length === 1,
  )
  expect(kept).toEqual([2048, 8192])
})

describe('a key is left out', () => {
  const short = Buffer.alloc(128, 255).toString('base64url')
  test.each<[string, unknown]>([
    ['for encryption', { ...rsa.open, use: 'enc' }],
    ['that may not verify', { ...ed.open, key_ops: ['wrapKey'] }],
    ['of an algorithm that is not on the list', { ...rsa.open, alg: 'RS512' }],
    ['of a symmetric algorithm', { ...rsa.open, alg: 'HS256' }],
    ['of another curve', { ...ec.open, crv: 'P-384' }],
    ['of a curve that signs nothing', { ...ed.open, crv: 'X25519' }],
    ['half of whose point is short', { ...ec.open, y: 'A'.repeat(42) }],
    ['of an unknown kind', { ...ed.open, kty: 'AKP' }],
    ['an RSA key of 1024 bits', { ...rsa.open, n: short }],
    ['with an exponent of any length', { ...rsa.open, e: 'AQABAQABA' }],
    ['with a modulus of any length', { ...rsa.open, n: 'A'.repeat(100_000) }],
    ['with a kid that is no text', { ...ed.open, kid: 7 }],
    ['with a kid of any length', { ...ed.open, kid: 'k'.repeat(257) }],
    ['that is no object', 'key'],
    ['null', null],
  ])('%s', (_, key) => {
    expect(verifyingKeys({ keys: [key, ed.open] })).toEqual([ed.open])
    expect(verifyingKeys({ keys: [key] })).toEqual([])
    expect(keysOfText(JSON.stringify({ keys: [key] }))).toBe('has no key that could verify a token')
  })
})

describe('a set is rejected', () => {
  test.each<[string, unknown, string]>([
    ['with a private key', { keys: [ed.open, ec.secret] }, 'holds a private key'],
    ['with a private key of AKP (RFC 9964)', { keys: [ed.open, { kty: 'AKP', priv: 'AA' }] }, 'holds a private key'],
    ['with a secret', { keys: [ed.open, { kty: 'oct', k: 'c2VjcmV0' }] }, 'holds a private key'],
    ['with 65 keys', { keys: Array.from({ length: 65 }, () => ed.open) }, 'has more than 64 keys'],
    ['whose keys are no list', { keys: 7 }, 'is not a JSON Web Key Set'],
    ['that is a list', [ed.open], 'is not a JSON Web Key Set'],
    ['that is nothing', undefined, 'is not a JSON Web Key Set'],
  ])('%s', (_, set, why) => {
    expect(verifyingKeys(set)).toBe(why)
  })

  test.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'])('with the private member %s', (name) => {
    for (const value of ['AA', '', null])
      expect(verifyingKeys({ keys: [{ ...rsa.open, [name]: value }, ed.open] })).toBe('holds a private key')
  })

  test('but not with 64 keys', () => {
    expect(verifyingKeys({ keys: Array.from({ length: 64 }, () => ed.open) })).toHaveLength(64)
  })

  test('that is served without keys', () => {
    expect(keysOfText('{"keys":[]}')).toBe('has no key that could verify a token')
  })

  test.each(['', 'hello', '{"keys":[', '<html>'])('that is no JSON: "%s"', (text) => {
    expect(keysOfText(text)).toBe('is not JSON')
  })

  test('whatever JSON it is: nothing is thrown', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (keys) => {
        expect(['object', 'string']).toContain(typeof verifyingKeys({ keys }))
      }),
    )
  })
})
