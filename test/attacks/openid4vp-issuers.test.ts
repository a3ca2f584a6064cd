/** Credentials of issuers that a verifier of OpenID4VP does not trust, or not for this, and statuses that do not count. */
import { createPublicKey } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { readCertificate } from '../../lib/x509/certificate.ts'
import { newKey, rawJwt, seconds } from '../support/openid/jwts.ts'
import { type CredentialOptions, failed, queryOf, startPresenting, VERIFIED } from '../support/openid/presenting.ts'
import { type Authority, bindTo, newAuthority, useVerifier, VCT } from '../support/openid/verification.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'

/** Responses of third parties' hosts by address; all other hosts do not exist. */
const { hosts, fetched } = vi.hoisted(() => ({ hosts: new Map<string, object>(), fetched: [] as string[] }))
vi.mock(import('../../lib/egress/follow.ts'), async (original) => ({
  ...(await original()),
  follow: async (url) => {
    fetched.push(url)
    return { headers: {}, body: '', milliseconds: 1, ...(hosts.get(url) ?? { failure: 'dns' }) }
  },
}))
const says = (url: string, body: unknown, status = 200) =>
  hosts.set(url, { status, body: typeof body === 'string' ? body : JSON.stringify(body) })

const stage = await useStage({ delivers: false })
const verifier = await useVerifier(stage)
const names = (host: string) => ({ alternativeNames: [{ type: 'dns', value: host } as const] })
const [a, b] = [await newAuthority('A', names('a.example')), await newAuthority('B', names('b.example'))]
const stranger = await newAuthority('A', names('a.example'))
const expired = await newAuthority('Old', { notAfter: new Date(Date.now() - 60_000) })
const OTHER = 'https://credentials.example/other'
const JWKS = 'https://keys.example/issuer'
const METADATA = 'https://keys.example/.well-known/jwt-vc-issuer/issuer'
const jwksKey = newKey()
const publicJwkOf = ({ leafKey }: Authority) =>
  createPublicKey(leafKey.export({ format: 'pem', type: 'pkcs8' })).export({ format: 'jwk' })
const trust = (body: object) => verifier.done('createTrustedIssuer', { body: { vcts: [VCT], ...body } })
for (const { root } of [a, b, expired]) await trust({ certificates: [root] })
await trust({ issuer: JWKS })
await trust({ certificates: [stranger.root], vcts: [OTHER] })
const { holder, credential, present, one } = startPresenting(verifier, a)
beforeEach(() => {
  hosts.clear()
  fetched.length = 0
})

describe('trust', () => {
  test.each<[string, CredentialOptions, string]>([
    ['of another CA with the same name', { by: stranger }, 'trust'],
    ['of a CA for another type', { by: stranger, claims: { vct: VCT } }, 'trust'],
    ['by an expired certificate', { by: expired }, 'trust'],
    ["with A's chain, signed by another", { by: { leaf: a.leaf, leafKey: b.leafKey } }, 'signature'],
    ['with no chain, of no issuer', { header: { x5c: undefined } }, 'trust'],
    ['with its key in the header', { header: { x5c: undefined, jwk: newKey().jwk } }, 'trust'],
    ['with addresses of keys', { header: { x5c: undefined, x5u: JWKS, jku: JWKS, kid: JWKS } }, 'trust'],
    ['of another type of JWT', { header: { typ: 'kb+jwt' } }, 'signature'],
    ['without an algorithm', { header: { alg: 'none' } }, 'signature'],
    ['with HMAC', { header: { alg: 'HS256' } }, 'signature'],
    ['that has expired', { payload: { exp: seconds() - 90 } }, 'validity'],
    ['that is not valid yet', { payload: { nbf: seconds() + 90 } }, 'validity'],
    ['with a text as exp', { payload: { exp: String(seconds() + 90) } }, 'validity'],
    ['with a claim twice', { payload: { given_name: 'Eve' } }, 'disclosures'],
  ])('a credential %s', async (_, made, check) => {
    const session = await one(made)
    expect(session).toMatchObject(failed(check))
    expect(session.errorMessage).not.toContain('CN=')
    const passed = session.checks.filter((each: Json) => each.passed).map(({ name }: Json) => name)
    expect(passed.includes('signature')).toBe(['validity', 'disclosures'].includes(check))
    expect(fetched).toEqual([])
  })

  test.each([
    ['https://a.example/issuer', 'https://a.example/issuer'],
    ['https://b.example', 'CN=A'],
    ['javascript://a.example/%0aalert(1)', 'CN=A'],
    ['https://a.example@b.example/', 'CN=A'],
  ])("A's leaf with iss %s is of %s", async (iss, issuer) => {
    expect(await one({ claims: { iss } })).toMatchObject({ credentials: [{ issuer }], claims: { identity: [{ iss }] } })
  })

  test('certificates of one request count for it, and for no other', async () => {
    expect(await one({ by: stranger }, { trustedCertificates: [stranger.root] })).toMatchObject(VERIFIED)
    expect(await one({ by: stranger }, { trustedCertificates: [stranger.leaf] })).toMatchObject(VERIFIED)
    expect(await one({ by: stranger })).toMatchObject(failed('trust'))
  })

  test('an authority that was asked for is one of the verified chain', async () => {
    const aki = (text: string) => String(readCertificate(text).extensions.authorityKeyId)
    const of = (value: string) => queryOf({ trusted_authorities: [{ type: 'aki', values: [value] }] })
    expect(await one({}, of(aki(a.leaf)))).toMatchObject(VERIFIED)
    expect(await one({}, of(aki(b.leaf)))).toMatchObject(failed('trusted_authorities'))
    // The leaf is trusted by itself, so certificates after it are ignored.
    const options = { ...of(aki(b.leaf)), trustedCertificates: [stranger.leaf] }
    const made = { by: stranger, header: { x5c: [stranger.leaf, b.leaf] } }
    expect(await one(made, options)).toMatchObject(failed('trusted_authorities'))
  })
})

describe('an issuer with a key set', () => {
  const by = { leaf: a.leaf, leafKey: jwksKey.privateKey }
  const made = (header: object = { kid: '1' }): CredentialOptions => ({
    by,
    claims: { iss: JWKS },
    header: { x5c: undefined, ...header },
  })
  const keys = [
    { ...jwksKey.jwk, kid: '1' },
    { ...newKey().jwk, kid: '2' },
  ]

  test('is read once for an answer, also by reference', async () => {
    says(METADATA, { issuer: JWKS, jwks_uri: 'https://keys.example/jwks' })
    says('https://keys.example/jwks', { keys })
    const options = queryOf({ multiple: true })
    const session = await present(options, async (request) => ({
      identity: await Promise.all([1, 2].map(async () => bindTo(holder, await credential(made()), request))),
    }))
    expect(session).toMatchObject({ ...VERIFIED, credentials: [{ issuer: JWKS }, { issuer: JWKS }] })
    expect(fetched).toEqual([METADATA, 'https://keys.example/jwks'])
  })

  test.each<[string, () => unknown, CredentialOptions?]>([
    ['with metadata of another issuer', () => says(METADATA, { issuer: `${JWKS}/`, jwks: { keys } })],
    ['with keys on another host', () => says(METADATA, { issuer: JWKS, jwks_uri: 'https://evil.example/jwks' })],
    ['with a host that redirects', () => says(METADATA, { issuer: JWKS, jwks: { keys } }, 302)],
    ['without a host', () => {}],
    ['with no such kid', () => says(METADATA, { issuer: JWKS, jwks: { keys } }), made({ kid: '3' })],
    ['with a kid that is left out', () => says(METADATA, { issuer: JWKS, jwks: { keys } }), made({})],
    ['with a kid that is a list', () => says(METADATA, { issuer: JWKS, jwks: { keys } }), made({ kid: ['1'] })],
    ['with a chain of its own', () => says(METADATA, { issuer: JWKS, jwks: { keys } }), made({ x5c: [stranger.leaf] })],
  ])('%s is not trusted', async (_, prepare, given = made()) => {
    says('https://evil.example/jwks', { keys })
    prepare()
    expect(await one(given)).toMatchObject(failed('trust'))
  })

  test('is the only one of an answer', async () => {
    const other = 'https://evil.example'
    await trust({ issuer: other })
    says(METADATA, { issuer: JWKS, jwks: { keys } })
    says(`${other}/.well-known/jwt-vc-issuer`, { issuer: other, jwks: { keys } })
    const session = await present(queryOf({ multiple: true }), async (request) => {
      const [first, second] = [await credential(made()), await credential({ ...made(), claims: { iss: other } })]
      return { identity: [bindTo(holder, first, request), bindTo(holder, second, request)] }
    })
    expect(session).toMatchObject(failed('trust'))
    expect(fetched).toEqual([METADATA])
  })

  test('has signed with another key, or a symmetric one', async () => {
    says(METADATA, { issuer: JWKS, jwks: { keys } })
    expect(await one(made({ kid: '2' }))).toMatchObject(failed('signature'))
    says(METADATA, { issuer: JWKS, jwks: { keys: [{ kty: 'oct', k: 'AAAA', kid: '1' }] } })
    expect(await one(made())).toMatchObject(failed('signature'))
  })
})

describe('a status', () => {
  let lists = 0
  const listBy = (uri: string, by: Authority, { bits = 1, byte = 0, header = {}, payload = {} } = {}) => {
    const status_list = { bits, lst: deflateSync(Uint8Array.of(byte)).toString('base64url') }
    const head = { alg: 'ES256', typ: 'statuslist+jwt', x5c: [by.leaf], ...header }
    says(uri, rawJwt(by.leafKey, head, { sub: uri, iat: seconds(), ttl: 600, status_list, ...payload }))
  }
  const referring = (uri: string, idx: unknown = 0): CredentialOptions => ({
    claims: { status: { status_list: { uri, idx } } },
  })
  const newUri = () => `https://lists.example/${lists++}`

  test.each<[string, (uri: string) => void, object]>([
    ['valid', (uri) => listBy(uri, a), { ...VERIFIED, credentials: [{ status: 'valid' }] }],
    ['invalid', (uri) => listBy(uri, a, { byte: 1 }), failed('status')],
    ['suspended', (uri) => listBy(uri, a, { bits: 2, byte: 2 }), { ...failed('status'), errorMessage: /suspended/ }],
    ['on a list of another CA', (uri) => listBy(uri, b), failed('status')],
    ['on a list of an unknown issuer', (uri) => listBy(uri, stranger), failed('status')],
    [
      'on a list signed by the jwk of its header',
      (uri) => listBy(uri, stranger, { header: { x5c: undefined, jwk: publicJwkOf(stranger) } }),
      failed('status'),
    ],
    ['on a list for another address', (uri) => listBy(uri, a, { payload: { sub: 'other' } }), failed('status')],
    ['on a list that cannot be read', () => {}, { ...failed('status'), errorMessage: /unreadable/ }],
  ])('%s', async (_, prepare, { errorMessage, ...outcome }: Json) => {
    const uri = newUri()
    prepare(uri)
    const session = await one(referring(uri))
    expect(session).toMatchObject(outcome)
    if (errorMessage !== undefined) expect(session.errorMessage).toMatch(errorMessage)
  })

  test("of B is not on A's list, which is cached", async () => {
    const uri = newUri()
    listBy(uri, a)
    expect(await one(referring(uri))).toMatchObject(VERIFIED)
    expect(await one({ by: b, ...referring(uri) })).toMatchObject(failed('status'))
  })

  test.each<[string, Json]>([
    ['of another mechanism', { identifier_list: { uri: 'https://lists.example/', id: '1' } }],
    ['as a text', 'valid'],
    ['that is empty', {}],
    ['without an index', { status_list: { uri: 'https://lists.example/' } }],
  ])('%s is unreadable', async (_, status) => expect(await one({ claims: { status } })).toMatchObject(failed('status')))

  test('of five lists in one answer is unreadable', async () => {
    const uris = Array.from({ length: 5 }, newUri)
    for (const uri of uris) listBy(uri, a)
    const session = await present(queryOf({ multiple: true }), async (request) => ({
      identity: await Promise.all(uris.map(async (uri) => bindTo(holder, await credential(referring(uri)), request))),
    }))
    expect(session).toMatchObject(failed('status'))
    expect(fetched).toHaveLength(4)
  })
})
