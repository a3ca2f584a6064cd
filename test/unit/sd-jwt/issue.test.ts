import { createPublicKey } from 'node:crypto'
import fc from 'fast-check'
import { compactVerify, decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { discloseClaims } from '../../../lib/sd-jwt/disclose.ts'
import { frameViolation, issueSdJwt } from '../../../lib/sd-jwt/issue.ts'
import { parseSdJwt } from '../../../lib/sd-jwt/parse.ts'
import { newKey } from '../../support/openid/jwts.ts'
import { foreignIssuer } from './foreign-issuer.ts'

const { privateKey: key } = newKey()
const issue = (claims: Record<string, unknown>, frame?: Record<string, unknown>) =>
  issueSdJwt({ key, header: { typ: 'dc+sd-jwt' }, claims: { vct: 'a', ...claims }, frame })
const disclosuresOf = (compact: string): unknown[][] =>
  parseSdJwt(compact).disclosures.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()))

const CLAIMS = {
  name: 'Ada',
  address: { city: 'London', country: 'GB', lines: ['a', 'b'] },
  nations: ['GB', 'FR', { code: 'DE', since: 1999 }],
}
const FRAME = {
  _sd: ['name', 'address'],
  _sd_decoy: 2,
  address: { _sd: ['city', 'lines'], lines: { _sd: [1] } },
  nations: { _sd: [0, 2], _sd_decoy: 1, 2: { _sd: ['code'] } },
}

describe('an SD-JWT', () => {
  test('is signed with ES256, and ends with a tilde', async () => {
    const compact = await issue(CLAIMS, FRAME)
    const [jwt = ''] = compact.split('~')
    const { protectedHeader } = await compactVerify(jwt, createPublicKey(key))
    expect(protectedHeader).toEqual({ typ: 'dc+sd-jwt', alg: 'ES256' })
    expect(compact.endsWith('~')).toBe(true)
  })

  test('hides what the frame names, in objects, lists, and hidden claims', async () => {
    const compact = await issue(CLAIMS, FRAME)
    const { payload } = parseSdJwt(compact)
    const digest = expect.stringMatching(/^[\w-]{43}$/)
    expect(payload).toEqual({
      ...{ vct: 'a', _sd_alg: 'sha-256', _sd: [digest, digest, digest, digest] },
      nations: [{ '...': digest }, 'FR', { '...': digest }, { '...': digest }],
    })
    const [all, named] = [
      disclosuresOf(compact),
      new Map(disclosuresOf(compact).map((one) => [one.at(-2), one.at(-1)])),
    ]
    expect(all).toHaveLength(8)
    expect(named.get('address')).toEqual({ country: 'GB', _sd: [digest, digest] })
    expect(named.get('lines')).toEqual(['a', { '...': digest }])
    expect(discloseClaims(parseSdJwt(compact))).toEqual({ vct: 'a', ...CLAIMS })
  })

  test('without a frame has no digests, and says no algorithm for them', async () => {
    const compact = await issue(CLAIMS)
    expect(decodeJwt(compact.split('~')[0] ?? '')).toEqual({ vct: 'a', ...CLAIMS })
    expect(compact.split('~')).toEqual([expect.any(String), ''])
  })

  test('has sorted digests, and a salt of 128 bits for each disclosure of each copy', async () => {
    const copies = await Promise.all(Array.from({ length: 20 }, () => issue(CLAIMS, FRAME)))
    const salts = copies.flatMap(disclosuresOf).map(([salt]) => String(salt))
    expect(new Set(salts).size).toBe(160)
    for (const salt of salts) expect(Buffer.from(salt, 'base64url')).toHaveLength(16)
    for (const copy of copies) {
      const digests = parseSdJwt(copy).payload._sd as string[]
      expect(digests).toEqual(digests.toSorted())
    }
  })

  test('is presented by another implementation', async () => {
    const { present } = foreignIssuer(key, key)
    const presented = await present(await issue(CLAIMS, FRAME), { name: true, nations: { 0: true } })
    expect(discloseClaims(parseSdJwt(presented))).toEqual({ vct: 'a', name: 'Ada', nations: ['GB', 'FR'] })
  })

  test('has all claims when all is disclosed, whatever they are and whichever are named', async () => {
    const name = fc
      .string({ minLength: 1, maxLength: 5 })
      .filter((text) => !['_sd', '...', '_sd_alg', '__proto__', 'vct'].includes(text))
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }))
    const frameOf = (claims: unknown, take: () => boolean): Record<string, unknown> | undefined => {
      if (typeof claims !== 'object' || claims === null) return undefined
      const entries = Object.entries(claims)
      const frames = entries
        .map(([one, member]) => [one, frameOf(member, take)])
        .filter(([, frame]) => frame !== undefined)
      return {
        ...Object.fromEntries(frames),
        _sd: entries.map(([one]) => one).filter(take),
        ...(take() && { _sd_decoy: 1 }),
      }
    }
    const dictionary = fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true })
    await fc.assert(
      fc.asyncProperty(dictionary, fc.infiniteStream(fc.boolean()), async (claims, chance) => {
        const frame = frameOf(claims, () => chance.next().value === true)
        fc.pre(!Object.keys(claims).some((one) => ['iss', 'nbf', 'exp', 'iat', 'cnf', 'status'].includes(one)))
        expect(frameViolation(claims, frame)).toBeUndefined()
        const wellFormed = JSON.parse(JSON.stringify({ vct: 'a', ...claims }))
        expect(discloseClaims(parseSdJwt(await issue(claims, frame)))).toEqual(wellFormed)
      }),
      { numRuns: 100 },
    )
  })
})

const nested = (levels: number, end: unknown = 'end'): unknown => (levels === 0 ? end : { a: nested(levels - 1, end) })

describe('a frame', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['names and nested frames', FRAME],
    ['an empty object', {}],
    ['decoys alone', { _sd_decoy: 200 }],
    ['indexes as texts', { nations: { _sd: ['0'], 2: {} } }],
  ])('may be %s', (_, frame) => {
    expect(frameViolation(CLAIMS, frame)).toBeUndefined()
  })

  test.each<[string, unknown]>([
    ['a list', []],
    ['null', null],
    ['a text', 'name'],
    ['with a text as _sd', { _sd: 'name' }],
    ['with null as _sd', { _sd: null }],
    ['with half a decoy', { _sd_decoy: 0.5 }],
    ['with -1 decoys', { _sd_decoy: -1 }],
    ['with a text as decoys', { _sd_decoy: '2' }],
    ['with over 200 digests', { _sd: ['name'], _sd_decoy: 200 }],
    ['with over 200 digests below', { _sd_decoy: 150, address: { _sd_decoy: 51 } }],
    ['with a name that is not there', { _sd: ['other'] }],
    ['with an inherited name', { _sd: ['toString'] }],
    ['with a name twice', { _sd: ['name', 'name'] }],
    ['with an index twice', { nations: { _sd: [0, '0'] } }],
    ['with an index that is not there', { nations: { _sd: [3] } }],
    ['with the length of a list', { nations: { _sd: ['length'] } }],
    ['with a fraction as index', { nations: { _sd: [0.5] } }],
    ['with a frame for a text', { name: {} }],
    ['with a frame for nothing', { other: {} }],
    ['with a text for a frame', { address: 'city' }],
    ['with a violation below', { address: { _sd: ['street'] } }],
    ['with __proto__', JSON.parse('{"__proto__": {"_sd": []}}')],
    ['with __proto__ in _sd', { _sd: ['__proto__'] }],
    ['with true in place of names', { _sd: true }],
  ])('may not be %s', (_, frame) => {
    expect(frameViolation(CLAIMS, frame)).toEqual(expect.any(String))
  })

  test.each(['iss', 'nbf', 'exp', 'iat', 'cnf', 'vct', 'vct#integrity', 'status'])(
    'never hides %s, nor its members',
    (name) => {
      const payload = { [name]: { a: 1 }, inner: { [name]: 1 } }
      expect(frameViolation(payload, { _sd: [name] })).toBe(`${name} is always disclosed`)
      expect(frameViolation(payload, { [name]: { _sd: ['a'] } })).toBe(`${name} is always disclosed`)
      expect(frameViolation(payload, { inner: { _sd: [name] } })).toBeUndefined()
    },
  )

  test.each(['_sd', '...', '_sd_alg', '__proto__'])('is for no payload with the name %s', (name) => {
    const payload = JSON.parse(`{"a": [{"${name}": 1}]}`)
    expect(frameViolation(payload)).toContain(name)
  })

  test('is for no more than 16 levels, its digests included', async () => {
    const deepest = nested(16) as Record<string, unknown>
    expect(frameViolation(deepest)).toBeUndefined()
    expect(discloseClaims(parseSdJwt(await issue(deepest)))).toMatchObject(deepest)
    expect(frameViolation({ a: nested(16) })).toContain('deeper')
    const [allowed, tooDeep] = [nested(14, { _sd: ['a'] }), nested(15, { _sd: ['a'] })]
    expect(frameViolation(deepest, allowed)).toBeUndefined()
    expect(discloseClaims(parseSdJwt(await issue(deepest, Object(allowed))))).toMatchObject(deepest)
    expect(frameViolation(deepest, tooDeep)).toContain('too deeply')
  })
})
