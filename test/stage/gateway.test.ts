/** The gateway of the local stage: its own answers, and those in place of a crashed function or authorizer. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toAuthorizerContext } from '../../lib/auth/principal.ts'
import { rateKeys } from '../../lib/auth/rate-key.ts'
import { Settings } from '../../lib/settings.ts'
import { type HttpRequest, httpTo, type Send } from '../support/api/http.ts'
import { serviceFolder } from '../support/stage/folder.ts'
import { endPrograms, startProgram } from '../support/stage/program.ts'
import { type StartedStage, whenReady } from '../support/stage/started.ts'

/** One of those that the stage knows. */
const [KEY] = rateKeys(Settings.entries.RATE_KEY_PREFIX.default)

/** Functions that do what the real ones never do. */
const CRASHING = {
  'functions/health.ts': `export const health = async () => { throw new TypeError('the inside of health') }`,
  'functions/openapi.ts': `export const openapi = () => { throw new Error('Unauthorized') }`,
  'functions/get-connections.ts': 'export const getConnections = async () => {}',
  'functions/show-docs.ts': `
    export const showDocs = async () => ({ statusCode: 401, headers: { 'WWW-Authenticate': 'DPoP error="invalid_token"' }, body: '' })`,
  'functions/authorizer.ts': `
    const policy = (Effect, Resource) => ({ Version: '2012-10-17', Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }] })
    export const authorizer = async ({ authorizationToken, methodArn }) => {
      const [arn] = methodArn.split('/')
      if (authorizationToken === 'crash') throw new Error('the inside of the authorizer')
      if (authorizationToken === 'nothing') return undefined
      if (authorizationToken === 'denied') return { principalId: 'me', policyDocument: policy('Deny', '*') }
      return {
        principalId: 'me',
        policyDocument: policy('Allow', arn + '/*'),
        context: JSON.parse(authorizationToken),
        usageIdentifierKey: authorizationToken.includes('uncounted') ? undefined : '${KEY}',
      }
    }`,
}

let folder: Awaited<ReturnType<typeof serviceFolder>>
let stage: StartedStage
let send: Send

beforeAll(async () => {
  folder = await serviceFolder(CRASHING)
  const env = { PORT: '0', NODE_OPTIONS: '', TENANT_RATE: '100000' }
  stage = await whenReady(startProgram(process.execPath, ['infra/local/start.ts'], { cwd: folder.path, env }))
  send = httpTo(stage.baseUrl)
})
afterAll(async () => {
  stage.program.interrupt()
  await stage.program.ended()
  endPrograms()
  await folder[Symbol.asyncDispose]()
})

/** A token that the stand-in for the authorizer lets in as a root agent. */
const ROOT = JSON.stringify(
  toAuthorizerContext({
    role: 'RestRootAgentWithTenants',
    organizations: {},
    subject: 'me',
    expiresAt: 9_999_999_999,
  }),
)

const ask = async (request: HttpRequest) => {
  const { status, headers, text } = await send(request)
  return { status, headers, text }
}

const get = (path: string, authorization?: string) =>
  ask({ method: 'GET', path, headers: authorization === undefined ? {} : { authorization } })

const errorOf = (statusCode: number, error: string) => ({
  status: statusCode,
  headers: expect.objectContaining({
    'content-type': 'application/json',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('x-request-id'),
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  }),
  text: JSON.stringify({ statusCode, error }),
})

const NOT_FOUND = errorOf(404, 'Not Found')
const BROKEN = errorOf(500, 'Internal Server Error')

describe('a crash is a 500 that reveals no internals', () => {
  test.each([
    ['a function that throws', '/health', undefined],
    ['a function that throws the word that is a 401 when the authorizer says it', '/openapi.json', undefined],
    ['a function that gives no answer', '/connections', ROOT],
    ['an authorizer that gives no answer', '/connections', 'nothing'],
  ])('%s', async (_, path, authorization) => {
    expect(await get(path, authorization)).toEqual(BROKEN)
  })

  test('but an authorizer that throws is a 503: usually a dependency did not answer', async () => {
    const answer = await get('/connections', 'crash')
    expect(answer).toEqual(errorOf(503, 'Service Unavailable'))
    expect(answer.headers['retry-after']).toBe('1')
  })

  test('and is logged, in a line each', async () => {
    await get('/health')
    await get('/connections', 'crash')
    const lines = stage.program.stderr().trimEnd().split('\n')
    const errors = lines.map((line) => JSON.parse(line).error.split('\n')[0])
    expect(errors).toEqual(
      expect.arrayContaining(['TypeError: the inside of health', 'Error: the inside of the authorizer']),
    )
  })
})

describe('the authorizer', () => {
  test('is not asked without a token', async () => {
    const answer = await get('/connections')
    expect(answer).toEqual(errorOf(401, 'Unauthorized'))
    expect(answer.headers).toHaveProperty('www-authenticate', 'Bearer')
  })

  test('denies with a 403', async () => {
    expect(await get('/connections', 'denied')).toEqual(errorOf(403, 'Forbidden'))
  })

  test('lets no caller in without a key that the stage knows', async () => {
    expect(await get('/connections', '{"principal":"uncounted"}')).toEqual(errorOf(403, 'Forbidden'))
  })
})

describe('a path without a route is a 404', () => {
  test.each([
    ['GET', '/nothing'],
    ['GET', '/nothing/here'],
    ['GET', '//'],
    ['GET', '//?a=1'],
    ['PUT', '/connections'],
    // It is a separate resource, not an id below another one.
    ['GET', '/proofs/create-request-oob'],
    ['OPTIONS', '/nothing/here'],
    ['OPTIONS', '/%zz'],
  ])('%s %s', async (method, path) => {
    expect(await ask({ method, path, headers: { authorization: ROOT } })).toEqual(NOT_FOUND)
  })

  test('HEAD, which only /health has', async () => {
    expect(await ask({ method: 'HEAD', path: '/connections/a' })).toEqual({ ...NOT_FOUND, text: '' })
  })
})

test('HEAD of /health goes to its function', async () => {
  expect(await ask({ method: 'HEAD', path: '/health' })).toEqual({ ...BROKEN, text: '' })
})

test.each(['/connections/%zz', '/nothing/%C3', '/connections?alias=%E0%A4%A', '/health?%zz'])(
  'an invalid path or query is a 400: %s',
  async (path) => {
    expect(await get(path, ROOT)).toEqual(errorOf(400, 'Bad Request'))
  },
)

describe('header lines', () => {
  const TOO_LARGE = errorOf(431, 'Request Header Fields Too Large')
  /** A request whose header lines have so many bytes. */
  const ofBytes = (bytes: number, path = '/health', method = 'GET') => {
    const others = { host: new URL(stage.baseUrl).host, connection: 'keep-alive', long: '' }
    const size = Object.entries(others).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0)
    return ask({ method, path, headers: { ...others, long: 'a'.repeat(bytes - size) } })
  }

  test('of 10,240 bytes are read', async () => {
    expect(await ofBytes(10_240)).toEqual(BROKEN)
  })

  test.each([
    ['GET', '/health', 10_241],
    ['GET', '/nothing', 10_241],
    ['OPTIONS', '/health', 10_241],
    // Node itself reads no more than 16 KiB.
    ['GET', '/health', 20_000],
  ])('that are more are a 431: %s %s, %i', async (method, path, bytes) => {
    expect(await ofBytes(bytes, path, method)).toEqual(TOO_LARGE)
  })
})

test('WWW-Authenticate of a function has another name, as on AWS', async () => {
  const { headers } = await get('/docs')
  expect(headers).toHaveProperty('x-amzn-remapped-www-authenticate', 'DPoP error="invalid_token"')
  expect(headers).not.toHaveProperty('www-authenticate')
})

describe('a preflight is answered as API Gateway answers it', () => {
  test.each([
    ['/connections', 'GET'],
    ['/proofs/create-request-oob', 'POST'],
    ['/webhooks/orgs/acme/endpoint', 'DELETE'],
    ['/didcomm/acme', 'POST'],
  ])('%s', async (path, method) => {
    const headers = { origin: 'https://app.example', 'access-control-request-method': method }
    const answer = await ask({ method: 'OPTIONS', path, headers })
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'Authorization,Content-Type,Idempotency-Key,traceparent,tracestate,baggage',
        'access-control-allow-methods': `OPTIONS,${method}`,
        'access-control-max-age': '600',
      },
      text: '',
    })
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  test('for any origin and any requested method', async () => {
    const { status } = await ask({ method: 'OPTIONS', path: '/connections', headers: {} })
    expect(status).toBe(200)
  })
})

describe('a body', () => {
  const KIB = 1024
  const headers = { authorization: ROOT, 'content-type': 'application/json' }
  const post = (length: number) =>
    ask({ method: 'POST', path: '/multi-tenancy/create-tenant', headers, body: '{}'.padEnd(length) })

  test('over 256 KiB is a 413 of the operation', async () => {
    const { status, text } = await post(256 * KIB + 1)
    expect({ status, body: JSON.parse(text) }).toMatchObject({
      status: 413,
      body: { statusCode: 413, error: 'Content Too Large' },
    })
  })

  test('of 256 KiB is read', async () => {
    expect((await post(256 * KIB)).status).toBe(422)
  })

  test('over 10 MiB is a 413 of the gateway', async () => {
    expect(await post(10 * KIB * KIB + 1)).toEqual(errorOf(413, 'Content Too Large'))
  })

  const postCoded = (coding: string, body: Buffer | string) =>
    ask({
      ...{ method: 'POST', path: '/multi-tenancy/create-tenant' },
      ...{ headers: { ...headers, 'content-encoding': coding }, body },
    })

  test.each([
    ['gzip', gzipSync],
    ['Deflate', deflateSync],
    ['identity', String],
  ])('in %s is as large as its decoded content', async (coding, code) => {
    expect((await postCoded(coding, code('{}'.padEnd(256 * KIB)))).status).toBe(422)
    const { status, text } = await postCoded(coding, code('{}'.padEnd(256 * KIB + 1)))
    expect({ status, text }).toMatchObject({ status: 413, text: expect.stringContaining('262144') })
    expect(await postCoded(coding, code('{}'.padEnd(10 * KIB * KIB + 1)))).toEqual(errorOf(413, 'Content Too Large'))
  })

  test.each([
    ['br', brotliCompressSync('{}')],
    ['gzip, gzip', gzipSync(gzipSync('{}'))],
    ['gzip', '{}'],
  ])('in %s that API Gateway does not undo is its 415', async (coding, body) => {
    expect(await postCoded(coding, body)).toEqual(errorOf(415, 'Unsupported Media Type'))
  })
})
