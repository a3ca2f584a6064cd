import { createHmac } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { ALL_GRANTS } from '../../../lib/auth/grants.ts'
import { createVerifier } from '../../../lib/auth/token.ts'
import { type StartedTable, startTable } from '../store/started-table.ts'

const NOW = 1_800_000_000
const ISSUER = 'https://issuer.example'
const AUDIENCE = 'agent'
const unauthorized = expect.objectContaining({ code: 'auth.unauthorized' })
const keysUnavailable = expect.objectContaining({ code: 'auth.keys_unavailable' })

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
type Key = { alg: string; kid: string; privateKey: PrivateKey; jwk: { kty: string } & JWK }

const makeKey = async (alg: string, kid = alg): Promise<Key> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const { kty = '', ...jwk } = await exportJWK(publicKey)
  return { alg, kid, privateKey, jwk: { ...jwk, kty, kid, alg, use: 'sig' } }
}

const CLAIMS = { iss: ISSUER, aud: AUDIENCE, exp: NOW + 60, sub: 'alice', role: 'RestTenantAgent', tenantId: 'acme' }

const sign = ({ alg, kid, privateKey }: Key, claims: JWTPayload = {}, header: object = {}) =>
  new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)

const base64urlOf = (length: number, byte: number) => Buffer.alloc(length, byte).toString('base64url')
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const keys = new Map<string, Key>()
const keyOf = (name: string): Key => {
  const key = keys.get(name)
  if (key === undefined) throw new Error(`no key ${name}`)
  return key
}

beforeAll(async () => {
  for (const alg of ['EdDSA', 'ES256', 'RS256', 'PS256', 'ES384']) keys.set(alg, await makeKey(alg))
  keys.set('stranger', await makeKey('EdDSA', 'stranger'))
  keys.set('impostor', { ...(await makeKey('EdDSA')), kid: 'EdDSA' })
})

const localJwks = () => ({ keys: ['EdDSA', 'ES256', 'RS256', 'PS256', 'ES384'].map((name) => keyOf(name).jwk) })
const issuer = { issuer: ISSUER, audience: AUDIENCE, grants: ALL_GRANTS }
const verifier = (now = NOW) => createVerifier([{ ...issuer, jwks: localJwks() }], () => now)

describe('a token is good', () => {
  test.each(['EdDSA', 'ES256', 'RS256', 'PS256'])('when it is signed with %s by a configured issuer', async (alg) => {
    await expect(verifier()(`Bearer ${await sign(keyOf(alg))}`)).resolves.toEqual({
      role: 'RestTenantAgent',
      tenantId: 'acme',
      organizations: {},
      subject: 'alice',
      expiresAt: NOW + 60,
    })
  })

  test.each(['', 'Bearer ', 'bearer ', 'BEARER   '])('with the prefix "%s"', async (prefix) => {
    await expect(verifier()(prefix + (await sign(keyOf('EdDSA'))))).resolves.toBeDefined()
  })

  test('when its audience is one of several', async () => {
    await expect(verifier()(await sign(keyOf('EdDSA'), { aud: ['other', AUDIENCE] }))).resolves.toBeDefined()
  })

  test('for each of the audiences that its issuer has, with the grants of that one', async () => {
    const first = { ...issuer, jwks: localJwks() }
    const second = { ...first, audience: 'second', grants: { ...ALL_GRANTS, tenants: ['initech'] } }
    const verify = createVerifier([first, second], () => NOW)
    const token = await sign(keyOf('EdDSA'), { aud: 'second', tenantId: 'initech' })
    await expect(verify(token)).resolves.toMatchObject({ tenantId: 'initech' })
    const other = await sign(keyOf('EdDSA'), { aud: 'second' })
    await expect(verify(other)).rejects.toMatchObject({ code: 'auth.forbidden' })
  })

  test('when it is no longer than 8 KiB', async () => {
    const token = await sign(keyOf('EdDSA'))
    const padded = (length: number) =>
      `Bearer ${token}`.replace(' ', ' '.repeat(length - token.length - 'Bearer'.length))
    await expect(verifier()(padded(8192))).resolves.toBeDefined()
    await expect(verifier()(padded(8193))).rejects.toThrow(unauthorized)
  })

  test('for 30 s after it expired and 30 s before it begins: clocks differ', async () => {
    await expect(verifier()(await sign(keyOf('EdDSA'), { exp: NOW - 29 }))).resolves.toBeDefined()
    await expect(verifier()(await sign(keyOf('EdDSA'), { nbf: NOW + 30, iat: NOW + 30 }))).resolves.toBeDefined()
  })
})

describe('a token is rejected', () => {
  test.each([
    ['expired', { exp: NOW - 31 }],
    ['not yet valid', { nbf: NOW + 31 }],
    ['issued in the future', { iat: NOW + 31 }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another audience', { aud: 'other' }],
    ['without issuer', { iss: undefined }],
    ['without audience', { aud: undefined }],
    ['without expiry', { exp: undefined }],
    ['without role', { role: undefined }],
    ['without a tenant for the tenant role', { tenantId: undefined }],
  ])('when it is %s', async (_, claims) => {
    await expect(verifier()(await sign(keyOf('EdDSA'), claims as JWTPayload))).rejects.toThrow(unauthorized)
  })

  test('when its algorithm is not on the list, though the key is', async () => {
    await expect(verifier()(await sign(keyOf('ES384')))).rejects.toThrow(unauthorized)
  })

  test('when its algorithm is none', async () => {
    const token = `${base64url({ alg: 'none' })}.${base64url(CLAIMS)}.`
    await expect(verifier()(token)).rejects.toThrow(unauthorized)
    await expect(verifier()(`${token}AA`)).rejects.toThrow(unauthorized)
  })

  test('when it is signed with HS256 and the public key for a secret', async () => {
    const { n = '' } = keyOf('RS256').jwk
    for (const secret of [n, JSON.stringify(keyOf('RS256').jwk)]) {
      const signed = `${base64url({ alg: 'HS256', kid: 'RS256' })}.${base64url(CLAIMS)}`
      const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
      await expect(verifier()(token)).rejects.toThrow(unauthorized)
    }
  })

  test('when its kid is not known', async () => {
    await expect(verifier()(await sign(keyOf('stranger')))).rejects.toThrow(unauthorized)
  })

  test('when another key signed under a known kid', async () => {
    await expect(verifier()(await sign(keyOf('impostor')))).rejects.toThrow(unauthorized)
  })

  test('when it brings its own key in the header', async () => {
    const header = { jwk: keyOf('stranger').jwk, jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/x' }
    await expect(verifier()(await sign(keyOf('stranger'), {}, header))).rejects.toThrow(unauthorized)
    await expect(verifier()(await sign({ ...keyOf('stranger'), kid: 'EdDSA' }, {}, header))).rejects.toThrow(
      unauthorized,
    )
  })

  test.each<[string, string, JWK]>([
    ['a point off its curve', 'ES256', { kty: 'EC', crv: 'P-256', x: base64urlOf(32, 1), y: base64urlOf(32, 1) }],
    ['a modulus of zeros', 'RS256', { kty: 'RSA', n: base64urlOf(257, 0), e: 'AQAB' }],
    ['a modulus of zeros', 'PS256', { kty: 'RSA', n: base64urlOf(257, 0), e: 'AQAB' }],
  ])('when the key of its kid is %s (%s), and other keys work', async (_, alg, broken) => {
    const { kty = '', ...members } = broken
    const verify = createVerifier(
      [{ ...issuer, jwks: { keys: [{ kty, ...members, kid: 'broken' }, keyOf('EdDSA').jwk] } }],
      () => NOW,
    )
    await expect(verify(await sign({ ...keyOf(alg), kid: 'broken' }))).rejects.toThrow(unauthorized)
    await expect(verify(await sign(keyOf('EdDSA')))).resolves.toBeDefined()
  })

  test('when its payload was changed', async () => {
    const [header, , signature] = (await sign(keyOf('EdDSA'))).split('.')
    const token = `${header}.${base64url({ ...CLAIMS, role: 'RestRootAgentWithTenants' })}.${signature}`
    await expect(verifier()(token)).rejects.toThrow(unauthorized)
  })

  test('when it is longer than 8 KiB', async () => {
    await expect(verifier()(await sign(keyOf('EdDSA'), { padding: 'x'.repeat(8192) }))).rejects.toThrow(unauthorized)
  })

  test.each([
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'a.b.c',
    'Bearer a.b.c',
    'Basic YTpi',
    'a.b',
    'a.b.c.d.e',
    '....',
    'ü.ü.ü',
    '\u0000',
  ])('when it is no token: "%s"', async (authorization) => {
    await expect(verifier()(authorization)).rejects.toThrow(unauthorized)
  })

  test('when no issuer is configured', async () => {
    await expect(createVerifier([], () => NOW)(await sign(keyOf('EdDSA')))).rejects.toThrow(unauthorized)
  })
})

describe('of several issuers each has its own grants', () => {
  const other = 'https://other.example'
  const ofTwo = () =>
    createVerifier(
      [
        { ...issuer, jwks: localJwks(), grants: { ...ALL_GRANTS, tenants: ['acme'], organizations: ['acme'] } },
        { ...issuer, issuer: other, jwks: { keys: [keyOf('stranger').jwk] } },
      ],
      () => NOW,
    )

  test('what one may say is forbidden to the other', async () => {
    const claims = { tenantId: 'globex' }
    await expect(ofTwo()(await sign(keyOf('EdDSA'), claims))).rejects.toMatchObject({ code: 'auth.forbidden' })
    await expect(ofTwo()(await sign(keyOf('stranger'), { ...claims, iss: other }))).resolves.toMatchObject(claims)
  })

  test('none speaks in the name of another', async () => {
    await expect(ofTwo()(await sign(keyOf('EdDSA'), { iss: other }))).rejects.toThrow(unauthorized)
  })
})

describe('a key set at an address', () => {
  let server: Server | undefined
  let requests = 0
  let table: StartedTable

  // A process without keys looks into the table first.
  beforeAll(async () => {
    table = await startTable({ memory: true })
  })
  afterAll(() => table.stop())

  const serve = async (listener: RequestListener): Promise<string> => {
    requests = 0
    const started = createServer((request, response) => {
      requests += 1
      listener(request, response)
    })
    server = started
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
    const address = started.address()
    if (typeof address !== 'object' || address === null) throw new Error('no port')
    return `http://127.0.0.1:${address.port}/jwks`
  }

  const serveKeys = () =>
    serve((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [keyOf('stranger').jwk] }))
    })

  afterEach(() => {
    server?.closeAllConnections()
    server?.close()
  })

  const verifierOf = (jwksUri: string) => createVerifier([{ ...issuer, jwks: localJwks(), jwksUri }], () => NOW)

  test('is asked for a kid that the local keys lack, and remembered', async () => {
    const verify = verifierOf(await serveKeys())
    await expect(verify(await sign(keyOf('stranger')))).resolves.toMatchObject({ tenantId: 'acme' })
    await expect(verify(await sign(keyOf('stranger')))).resolves.toMatchObject({ tenantId: 'acme' })
    expect(requests).toBe(1)
  })

  test('is not asked for a kid that the local keys have', async () => {
    const verify = verifierOf(await serveKeys())
    await expect(verify(await sign(keyOf('EdDSA')))).resolves.toBeDefined()
    await expect(verify(await sign(keyOf('impostor')))).rejects.toThrow(unauthorized)
    expect(requests).toBe(0)
  })

  test('is not asked by a forged token that names a known kid with another algorithm, or no kid at all', async () => {
    const verify = verifierOf(await serveKeys())
    await expect(verify(await sign({ ...keyOf('ES256'), kid: 'EdDSA' }))).rejects.toThrow(unauthorized)
    await expect(verify(await sign(keyOf('stranger'), {}, { kid: undefined }))).rejects.toThrow(unauthorized)
    expect(requests).toBe(0)
  })

  test('serves alone, where no local keys are configured', async () => {
    const jwksUri = await serveKeys()
    const verify = createVerifier([{ ...issuer, jwksUri }], () => NOW)
    await expect(verify(await sign(keyOf('stranger')))).resolves.toBeDefined()
  })

  test('rejects an unknown kid too', async () => {
    const verify = verifierOf(await serveKeys())
    await expect(verify(await sign({ ...keyOf('stranger'), kid: 'nobody' }))).rejects.toThrow(unauthorized)
  })

  test('rejects a token without kid that several of its keys could have signed', async () => {
    const jwksUri = await serve((_, response) => {
      response.end(JSON.stringify({ keys: [keyOf('stranger').jwk, keyOf('EdDSA').jwk] }))
    })
    const verify = createVerifier([{ ...issuer, jwksUri }], () => NOW)
    await expect(verify(await sign(keyOf('stranger'), {}, { kid: undefined }))).rejects.toThrow(unauthorized)
  })

  /** Nothing is known of the issuer but its address. */
  const verifierWithoutKeys = (jwksUri: string) => createVerifier([{ ...issuer, jwksUri }], () => NOW)

  test('that cannot be reached is our failure, not the token’s, where no key is known', async () => {
    const jwksUri = await serveKeys()
    await new Promise((resolve) => server?.close(resolve))
    await expect(verifierWithoutKeys(jwksUri)(await sign(keyOf('stranger')))).rejects.toThrow(keysUnavailable)
  })

  test('that cannot be reached makes no failure of ours out of a token with an unknown kid, where keys are known', async () => {
    const jwksUri = await serveKeys()
    await new Promise((resolve) => server?.close(resolve))
    const verify = verifierOf(jwksUri)
    await expect(verify(await sign(keyOf('stranger')))).rejects.toThrow(unauthorized)
    await expect(verify(await sign(keyOf('EdDSA')))).resolves.toBeDefined()
  })

  test.each([
    ['fails', 500, '{}'],
    ['is not JSON', 200, 'hello'],
    ['is no key set', 200, '{"keys":7}'],
  ])('that %s is our failure too', async (_, status, body) => {
    const jwksUri = await serve((_request, response) => response.writeHead(status).end(body))
    await expect(verifierWithoutKeys(jwksUri)(await sign(keyOf('stranger')))).rejects.toThrow(keysUnavailable)
  })

  test('that does not respond in time is our failure too', async () => {
    const jwksUri = await serve(() => undefined)
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    await expect(verifierWithoutKeys(jwksUri)(await sign(keyOf('stranger')))).rejects.toThrow(keysUnavailable)
    // The authorizer has 5 s for all.
    expect(timeout.mock.calls).toEqual([[2_000]])
    timeout.mockRestore()
  })

  test.each([
    ['with given keys', localJwks, unauthorized],
    ['without keys', () => undefined, keysUnavailable],
  ])('serves again some seconds after it failed (%s)', async (_, jwksOf, failure) => {
    let broken = true
    let now = NOW
    const jwksUri = await serve((_, response) => {
      response.writeHead(broken ? 503 : 200).end(JSON.stringify({ keys: [keyOf('stranger').jwk] }))
    })
    const verify = createVerifier([{ ...issuer, jwks: jwksOf(), jwksUri }], () => now)
    await expect(verify(await sign(keyOf('stranger')))).rejects.toThrow(failure)
    broken = false
    now += 5
    await expect(verify(await sign(keyOf('stranger')))).resolves.toBeDefined()
  })
})
