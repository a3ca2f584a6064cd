import { describe, expect, test } from 'vitest'
import { discloseClaims } from '../../../lib/sd-jwt/disclose.ts'
import { parseSdJwt } from '../../../lib/sd-jwt/parse.ts'
import { base64url, digest, newKey, rawJwt } from '../../support/openid/jwts.ts'
import { foreignIssuer } from './foreign-issuer.ts'

const { privateKey } = newKey()
const { issue, present } = foreignIssuer(privateKey, privateKey)

/** A disclosure and its digest. */
const disclosure = (...parts: unknown[]) => base64url(parts)
const sd = (...disclosures: string[]) => ({ _sd: disclosures.map(digest) })
const element = (text: string) => ({ '...': digest(text) })

const sdJwtOf = (payload: object | string, ...disclosures: string[]) => {
  const claims = typeof payload === 'string' ? payload : JSON.stringify({ vct: 'badge', ...payload })
  return [rawJwt(privateKey, { alg: 'ES256', typ: 'dc+sd-jwt' }, claims), ...disclosures, ''].join('~')
}
const claimsOf = (sdJwt: string) => discloseClaims(parseSdJwt(sdJwt))

const a = disclosure('salt', 'a', 1)
const otherA = disclosure('salt', 'a', 2)
const one = disclosure('salt', 1)

describe('an SD-JWT of another implementation', () => {
  const claims = {
    vct: 'badge',
    name: 'Ada',
    address: { city: 'London', street: 'Main', geo: { lat: 1 } },
    roles: ['x', { of: 'y' }, 'z'],
  }
  const frame = {
    _sd: ['name', 'address'],
    _sd_decoy: 3,
    address: { _sd: ['city', 'geo'], geo: { _sd: ['lat'] } },
    roles: { _sd: [0, 1], _sd_decoy: 2, 1: { _sd: ['of'] } },
  }

  test('gives all that is disclosed, and nothing of the format', async () => {
    expect(claimsOf(await issue(claims, frame))).toEqual(claims)
    expect(claimsOf(await issue(claims))).toEqual(claims)
  })

  test('gives the part that is disclosed', async () => {
    const presented = await present(await issue(claims, frame), { address: { geo: true }, roles: { 1: true } })
    expect(claimsOf(presented)).toEqual({ vct: 'badge', address: { street: 'Main', geo: {} }, roles: [{}, 'z'] })
  })
})

test('decoys, also in lists, and what is not disclosed are left out', () => {
  const payload = { ...sd(a, 'decoy'), list: [element('decoy 2'), 0, element(one)], _sd_alg: 'sha-256' }
  expect(claimsOf(sdJwtOf(payload, one))).toEqual({ vct: 'badge', list: [0, 1] })
})

test.each<[string, object | string, string[], RegExp]>([
  ['without a digest', {}, [a], /does not contain the digest/],
  ['whose digest is of another one', sd(a), [otherA], /does not contain the digest/],
  ['twice', sd(a), [a, a], /occurs twice/],
  ['whose digest is there twice', { _sd: [digest(a), digest(a)] }, [a], /digest occurs twice/],
  ['whose digest is there at two places', { ...sd(a), b: sd(a) }, [a], /digest occurs twice/],
  [
    'whose digest is in another disclosure, too',
    { ...sd(a, disclosure('s', 'b', sd(a))) },
    [a, disclosure('s', 'b', sd(a))],
    /digest occurs twice/,
  ],
  ['of a name that is there', { a: 5, ...sd(a) }, [a], /name of another/],
  ['of a name that another has', sd(a, otherA), [a, otherA], /name of another/],
  ['of a name that another has, deep', { b: [{ c: sd(a, otherA) }] }, [a, otherA], /name of another/],
  ['of an element for a member', sd(one), [one], /element of a list is used/],
  ['of a member for an element', { list: [element(a)] }, [a], /member is used/],
  ['of a name that is a number', sd(disclosure('s', 1, 2)), [disclosure('s', 1, 2)], /name of a disclosed/],
  ['with four parts', sd(disclosure('s', 'b', 1, 1)), [disclosure('s', 'b', 1, 1)], /two or three/],
  ['with one part', sd(disclosure('s')), [disclosure('s')], /two or three/],
  ['with a number as salt', sd(disclosure(1, 'b', 1)), [disclosure(1, 'b', 1)], /two or three/],
  ['that is an object', sd(base64url({ a: 1 })), [base64url({ a: 1 })], /two or three/],
  ['that is not JSON', sd('AAAA'), ['AAAA'], /not JSON/],
  ['in other characters', sd(`${a}=`), [`${a}=`], /two or three/],
  ['that is empty', sd(''), [''], /two or three/],
  [
    'with a value that names a prototype',
    sd(Buffer.from('["s","b",{"__proto__":1}]').toString('base64url')),
    [Buffer.from('["s","b",{"__proto__":1}]').toString('base64url')],
    /names a prototype/,
  ],
])('a disclosure %s is rejected', (_, payload, disclosures, message) => {
  const attempt = () => claimsOf(sdJwtOf(payload, ...disclosures))
  expect(attempt).toThrow(message)
  expect(attempt).toThrow(expect.objectContaining({ name: 'SdJwtError', check: 'disclosures' }))
})

test.each(['_sd', '...', '_sd_alg', '__proto__'])('the name %s cannot be disclosed', (name) => {
  const named = disclosure('s', name, [])
  expect(() => claimsOf(sdJwtOf(sd(named), named))).toThrow(/name/)
  expect(() => claimsOf(sdJwtOf({ b: sd(named) }, named))).toThrow(/name/)
})

test.each(['...', '_sd_alg', '__proto__'])('the name %s cannot be signed in plain within a claim', (name) => {
  expect(() => claimsOf(sdJwtOf(`{"vct":"badge","b":{"${name}":"sha-256"}}`))).toThrow(/name/)
})

describe.each(['vct', 'cnf', 'iss', 'status', 'exp', 'nbf', 'vct#integrity'])('%s', (name) => {
  const disclosed = disclosure('s', name, 'other')

  test('cannot be disclosed, neither over the signed one nor in its place', () => {
    expect(() => claimsOf(sdJwtOf({ [name]: 'signed', ...sd(disclosed) }, disclosed))).toThrow('name of another')
    if (name === 'vct') return
    expect(() => claimsOf(sdJwtOf(sd(disclosed), disclosed))).toThrow(`${name} must not be selectively disclosed`)
  })

  test('is a claim like any other within one', () => {
    expect(claimsOf(sdJwtOf({ b: sd(disclosed) }, disclosed))).toMatchObject({ b: { [name]: 'other' } })
  })
})

test.each([
  ['a member of cnf', { cnf: sd(disclosure('s', 'jwk', {})) }],
  ['a member of status, deep', { status: { status_list: sd(disclosure('s', 'idx', 1)) } }],
  ['an element of status', { status: { list: [element(one)] } }],
])('%s cannot be hidden: the holder would choose it', (_, payload) => {
  expect(() => claimsOf(sdJwtOf(payload))).toThrow('must not be selectively disclosed has a digest')
})

test.each<[object, RegExp]>([
  [{ _sd_alg: 'sha-512' }, /_sd_alg/],
  [{ _sd_alg: null }, /_sd_alg/],
  [{ _sd: { 0: digest(a) } }, /_sd is not a list/],
  [{ _sd: null }, /_sd is not a list/],
  [{ _sd: [1] }, /digest is not a text/],
  [{ list: [{ '...': digest(one), more: 1 }] }, /other members/],
  [{ list: [{ '...': [digest(one)] }] }, /digest is not a text/],
  [{ '...': digest(one) }, /name of the format/],
])('the payload %j is rejected', (payload, message) => {
  expect(() => claimsOf(sdJwtOf(payload))).toThrow(message)
})

test('disclosures within disclosures nest 16 levels deep at most', () => {
  const chain = (levels: number) => {
    const disclosures = [disclosure('s', 'a', 'end')]
    while (disclosures.length < levels) disclosures.unshift(disclosure('s', 'a', sd(disclosures[0] ?? '')))
    return sdJwtOf(sd(disclosures[0] ?? ''), ...disclosures)
  }
  expect(JSON.stringify(claimsOf(chain(16))).match(/"a":/g)).toHaveLength(16)
  expect(() => claimsOf(chain(17))).toThrow('deeper than 16')
  expect(() => claimsOf(chain(200))).toThrow('deeper than 16')
})
