import { createHmac, createPublicKey } from 'node:crypto'
import { importJWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { JoseError } from '../../../lib/jose/errors.ts'
import { decodeJwt, type JwtRules, signJwt, verifyJwt } from '../../../lib/jose/jwt.ts'
import { base64url, newKey, rawJwt, seconds } from '../../support/openid/jwts.ts'

const key = newKey()
const typ = 'test+jwt'

const jwtOf = (payload: unknown = {}, header: object = {}) =>
  rawJwt(key.privateKey, { alg: 'ES256', typ, ...header }, payload)
const verify = (text: unknown, rules: Partial<JwtRules> = {}, jwk: unknown = key.jwk) =>
  verifyJwt(text, jwk, { typ, ...rules })
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

test('a JWT is signed so that third parties can verify it, whatever algorithm the header asks for', async () => {
  const jwt = await signJwt(key.privateKey, { typ, alg: 'none' }, { aud: 'somebody' })
  const { payload, protectedHeader } = await jwtVerify(jwt, await importJWK(key.jwk, 'ES256'), { typ })
  expect({ payload, protectedHeader }).toEqual({ payload: { aud: 'somebody' }, protectedHeader: { typ, alg: 'ES256' } })
})

test.each([
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['ES512', 'P-521'],
  ['EdDSA', 'Ed25519'],
  ['Ed25519', 'Ed25519'],
] as const)('a JWT that jose signs with %s on %s is verified', async (alg, curve) => {
  const { privateKey, jwk } = newKey(curve)
  const jwt = await new SignJWT({ iss: 'it' }).setProtectedHeader({ alg, typ }).sign(privateKey)
  expect(await verify(jwt, {}, jwk)).toEqual({ header: { alg, typ }, payload: { iss: 'it' } })
  await expect(verify(jwt, { algorithms: ['ES256', 'ES384'].filter((one) => one !== alg) }, jwk)).rejects.toThrow(
    'algorithm',
  )
  await expect(verify(jwt, {}, newKey(curve).jwk)).rejects.toThrow('not signed with the expected key')
})

test.each<[string, unknown, RegExp]>([
  ['a number', 5, /not a text/],
  ['two parts', 'e30.e30', /compact form/],
  ['a line break', `${jwtOf()}\n`, /compact form/],
  ['padding', jwtOf().replace('.', '=.'), /compact form/],
  ['an empty signature', jwtOf().replace(/[^.]+$/, ''), /compact form/],
  ['a header that is a list', rawJwt(key.privateKey, [], {}), /not a JSON object/],
  ['a payload that is a text', rawJwt(key.privateKey, { alg: 'ES256', typ }, '"text"'), /not a JSON object/],
  ['a payload that is not JSON', jwtOf('{'), /not JSON/],
  ['17 levels', jwtOf(nested(17)), /nested deeper/],
  ['a name __proto__', jwtOf('{"a":[{"__proto__":1}]}'), /names a prototype/],
  ['half a character', jwtOf('{"a":"\\ud800"}'), /Unicode/],
  ['a number beyond JavaScript', jwtOf('{"exp":1e999}'), /finite/],
])('%s is not decoded', (_, text, message) => {
  expect(() => decodeJwt(text, 1_000)).toThrow(JoseError)
  expect(() => decodeJwt(text, 1_000)).toThrow(message)
})

test('a JWT is decoded up to a length and a depth, and a deep one exhausts no stack', async () => {
  const jwt = jwtOf(nested(16))
  expect(decodeJwt(jwt, jwt.length).payload).toEqual(JSON.parse(nested(16)))
  expect(() => decodeJwt(jwt, jwt.length - 1)).toThrow(`over ${jwt.length - 1} characters`)
  expect(() => decodeJwt(jwtOf(nested(30_000)), 1_000_000)).toThrow(JoseError)
  await expect(verify(jwt, { maxLength: jwt.length - 1 })).rejects.toThrow('characters')
  await expect(verify(`${jwt}${'A'.repeat(256 * 1024)}`)).rejects.toThrow('over 262144 characters')
})

describe('a JWT is rejected', () => {
  test.each<[string, object, RegExp]>([
    ['another type', { typ: 'JWT' }, /type of the JWT must be test\+jwt/],
    ['no type', { typ: undefined }, /type/],
    ['crit', { crit: ['b64'] }, /crit/],
    ['b64', { b64: true }, /b64/],
    ['alg none', { alg: 'none' }, /algorithm/],
    ['RSA', { alg: 'RS256' }, /algorithm/],
    ['another curve', { alg: 'ES384' }, /expected key/],
    ['algorithms in a list', { alg: ['ES256'] }, /algorithm/],
    ['an algorithm named like a member of Object', { alg: 'constructor' }, /algorithm/],
  ])('for %s in its header', async (_, header, message) => {
    await expect(verify(jwtOf({}, header))).rejects.toThrow(message)
    await expect(verify(jwtOf({}, header))).rejects.toThrow(JoseError)
  })

  test('that is signed with the public key as the secret of an HMAC', async () => {
    const signed = `${base64url({ alg: 'HS256', typ })}.e30`
    const secret = createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' })
    const mac = createHmac('sha256', secret).update(signed).digest('base64url')
    await expect(verify(`${signed}.${mac}`)).rejects.toThrow('algorithm')
    await expect(verify(`${signed}.${mac}`, { algorithms: ['HS256'] })).rejects.toThrow('algorithm')
  })

  test('whose payload was exchanged, or whose key is in its own header', async () => {
    const [header, , signature] = jwtOf().split('.')
    await expect(verify(`${header}.${base64url({ admin: true })}.${signature}`)).rejects.toThrow('expected key')
    const other = newKey()
    const own = rawJwt(other.privateKey, { alg: 'ES256', typ, jwk: other.jwk }, {})
    await expect(verify(own)).rejects.toThrow('expected key')
  })

  test('for a key with private parts, or off its curve', async () => {
    await expect(verify(jwtOf(), {}, key.privateKey.export({ format: 'jwk' }))).rejects.toThrow('private parts')
    await expect(verify(jwtOf(), {}, { ...key.jwk, y: key.jwk.x })).rejects.toThrow(JoseError)
  })
})

describe('times', () => {
  const at = new Date(1_800_000_000_500)
  const now = at.getTime() / 1000

  test.each<[object, Partial<JwtRules>, RegExp | undefined]>([
    [{ exp: now - 60 }, {}, /expired/],
    [{ exp: now - 59 }, {}, undefined],
    [{ exp: 0 }, {}, /expired/],
    [{ nbf: now + 60 }, {}, undefined],
    [{ nbf: now + 61 }, {}, /not valid yet/],
    [{ iat: now - 9_000 }, {}, undefined],
    [{ iat: now - 300 }, { maxAge: 300 }, undefined],
    [{ iat: now - 301 }, { maxAge: 300 }, /300 seconds ago/],
    [{ iat: now + 60 }, { maxAge: 300 }, undefined],
    [{ iat: now + 61 }, { maxAge: 300 }, /in the future/],
    [{}, { maxAge: 300 }, /no iat/],
    [{ exp: String(now + 60) }, {}, /exp of the JWT is not a number/],
    [{ nbf: null }, {}, /nbf of the JWT is not a number/],
    [{ iat: `${now}` }, {}, /iat of the JWT is not a number/],
    [{ sub: 'a' }, { required: ['sub', 'toString'] }, /no toString/],
  ])('%j with %j: %s', async (payload, rules, message) => {
    const verified = verify(jwtOf(payload), { ...rules, at })
    await (message === undefined ? expect(verified).resolves.toBeDefined() : expect(verified).rejects.toThrow(message))
  })

  test('are compared with the present by default', async () => {
    await expect(verify(jwtOf({ exp: seconds() + 5 }))).resolves.toBeDefined()
    await expect(verify(jwtOf({ exp: seconds() - 90 }))).rejects.toThrow('expired')
  })
})
