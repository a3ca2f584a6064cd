import { calculateJwkThumbprint, type JWK } from 'jose'
import { expect, test } from 'vitest'
import { JoseError } from '../../../lib/jose/errors.ts'
import { publicJwk, thumbprintOf } from '../../../lib/jose/jwk.ts'
import { newKey } from '../../support/openid/jwts.ts'

const { jwk, privateKey } = newKey()

test.each(['P-256', 'P-384', 'P-521', 'Ed25519'] as const)(
  'a key on %s has its members alone, and the thumbprint of jose',
  async (curve) => {
    const { jwk } = newKey(curve)
    expect(publicJwk({ ...jwk, kid: 'x', use: 'sig', x5u: 'https://169.254.169.254' })).toEqual(jwk)
    expect(thumbprintOf({ ...jwk, kid: 'x' })).toBe(await calculateJwkThumbprint(jwk as JWK))
  },
)

test.each<[string, unknown]>([
  ['null', null],
  ['a list', [jwk]],
  ['a private key', privateKey.export({ format: 'jwk' })],
  ['a secret', { kty: 'oct', k: 'AAAA' }],
  ['a private part of RSA', { ...jwk, oth: undefined }],
  ['RSA', { kty: 'RSA', n: 'A'.repeat(342), e: 'AQAB' }],
  ['secp256k1', newKey('secp256k1').jwk],
  ['X25519', { kty: 'OKP', crv: 'X25519', x: jwk.x }],
  ['a curve of another type', { kty: 'OKP', crv: 'P-256', x: jwk.x, y: jwk.y }],
  ['Ed25519 as EC', { ...jwk, crv: 'Ed25519' }],
  ['no y', { ...jwk, y: undefined }],
  ['a short coordinate', { ...jwk, x: jwk.x?.slice(1) }],
  ['a coordinate in other characters', { ...jwk, y: `${jwk.y?.slice(1)}+` }],
  ['a list as a coordinate', { ...jwk, x: Array(43).fill('A') }],
])('%s is not a public key', (_, value) => {
  expect(() => publicJwk(value)).toThrow(JoseError)
  expect(() => thumbprintOf(value)).toThrow(JoseError)
})
