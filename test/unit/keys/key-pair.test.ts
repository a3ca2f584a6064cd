import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { exportJWK } from 'jose'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { generateJwk, isKeyPair, jwkOf, PrivateJwk, privateKeyOf, publicJwkOf } from '../../../lib/keys/key-pair.ts'

describe.each(['Ed25519', 'X25519', 'P-256', 'secp256k1'] as const)('a key pair on %s', (crv) => {
  test('is a JWK whose halves fit, and is the same when it is imported', () => {
    const jwk = generateJwk(crv)
    expect(isKeyPair(jwk)).toBe(true)
    expect(jwkOf(privateKeyOf({ ...jwk }))).toEqual(jwk)
    expect(publicJwkOf(jwk)).not.toHaveProperty('d')
  })

  test('is not one with a half of another, or with a number beyond the curve', () => {
    const [jwk, other] = [generateJwk(crv), generateJwk(crv)]
    for (const changed of [
      { ...jwk, x: other.x },
      { ...jwk, d: other.d },
      { ...jwk, d: Buffer.alloc(32, 255).toString('base64url') },
      { ...jwk, d: '' },
      { ...jwk, x: '', ...(jwk.kty === 'EC' && { y: '' }) },
    ])
      expect(isKeyPair(changed)).toBe(false)
  })
})

test('the key object signs for jose’s public key', async () => {
  const jwk = generateJwk('P-256')
  const signature = sign('sha256', Buffer.from('text'), privateKeyOf(jwk))
  const publicKey = { key: publicJwkOf(jwk), format: 'jwk' } as const
  expect(verify('sha256', Buffer.from('text'), publicKey, signature)).toBe(true)
  expect(await exportJWK(privateKeyOf(jwk))).toEqual(jwk)
})

test.each([
  ['rsa', { modulusLength: 2048 }],
  ['ec', { namedCurve: 'P-384' }],
  ['ed448', {}],
] as const)('a key of type %s %j is not supported', (type, options) => {
  const { privateKey } = generateKeyPairSync(type as 'rsa', options as { modulusLength: number })
  expect(() => jwkOf(privateKey)).toThrow(v.ValiError)
  expect(v.is(PrivateJwk, privateKey.export({ format: 'jwk' }))).toBe(false)
})
