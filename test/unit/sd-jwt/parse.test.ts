import { expect, test } from 'vitest'
import { parseSdJwt } from '../../../lib/sd-jwt/parse.ts'
import { base64url, newKey, rawJwt } from '../../support/openid/jwts.ts'

const { privateKey } = newKey()
const jwt = rawJwt(privateKey, { alg: 'ES256', typ: 'dc+sd-jwt' }, { vct: 'badge' })
const withVct = (vct: unknown) => `${rawJwt(privateKey, { alg: 'ES256' }, { vct })}~`

test('an SD-JWT is the issuer’s JWT, disclosures, and what the key binding signs', () => {
  const parts = { issuerJwt: jwt, header: { alg: 'ES256', typ: 'dc+sd-jwt' }, payload: { vct: 'badge' } }
  expect(parseSdJwt(`${jwt}~a~b~kb.kb.kb`)).toEqual({
    ...parts,
    disclosures: ['a', 'b'],
    keyBinding: 'kb.kb.kb',
    presented: `${jwt}~a~b~`,
  })
  expect(parseSdJwt(`${jwt}~`)).toEqual({ ...parts, disclosures: [], keyBinding: undefined, presented: `${jwt}~` })
})

test.each<[string, unknown, RegExp]>([
  ['a list', [`${jwt}~`], /not a text/],
  ['a JWT', jwt, /does not end/],
  ['JSON serialization', JSON.stringify({ payload: base64url({}) }), /does not end/],
  ['no JWT', '~~', /compact form/],
  ['over 200 disclosures', `${jwt}${'~a'.repeat(201)}~`, /over 200/],
  ['over 256 Ki characters', `${jwt}~${'~'.repeat(256 * 1024)}`, /over 262144/],
  ['no vct', `${rawJwt(privateKey, {}, {})}~`, /vct/],
  ['an empty vct', withVct(''), /vct/],
  ['a vct in a list', withVct(['badge']), /vct/],
])('%s is not an SD-JWT VC', (_, text, message) => {
  expect(() => parseSdJwt(text)).toThrow(message)
  expect(() => parseSdJwt(text)).toThrow(expect.objectContaining({ name: 'SdJwtError', check: 'format' }))
})

test('200 disclosures are read', () => {
  expect(parseSdJwt(`${jwt}${'~a'.repeat(200)}~kb`)).toMatchObject({ disclosures: { length: 200 }, keyBinding: 'kb' })
})
