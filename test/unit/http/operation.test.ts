import { setTimeout as delay } from 'node:timers/promises'
import type { Context } from 'aws-lambda'
import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Principal } from '../../../lib/auth/principal.ts'
import { AgentError, type ErrorCode } from '../../../lib/errors.ts'
import { toErrorLog } from '../../../lib/http/error-body.ts'
import { headerOf } from '../../../lib/http/event.ts'
import type { inTransaction as RealTransaction } from '../../../lib/http/in-transaction.ts'
import { defineOperation } from '../../../lib/http/operation.ts'
import { Document, OperationResponse, Page, Redirect } from '../../../lib/http/request.ts'
import { defineContract } from '../../../lib/interface/contract.ts'
import { exactly, Paging, text } from '../../../lib/interface/fields.ts'
import { EntityId } from '../../../lib/records/tenant.ts'
import { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { AUTHORIZER, authorizerOf, call, type Given, gatewayEvent, PRINCIPAL } from './gateway-event.ts'

const Post = defineContract(() => ({
  operationId: 'PostThing',
  method: 'POST',
  path: '/things/{id}',
  summary: 'Post',
  security: 'token',
  parameters: { path: v.object({ id: EntityId }), query: Paging },
  body: exactly({
    name: text(10),
    size: v.optional(v.pipe(v.number(), v.integer())),
    inner: v.optional(exactly({ a: v.string() })),
    choice: v.optional(v.picklist(['contentApproved', 'never'])),
    either: v.optional(v.union([v.array(exactly({ a: v.string() })), v.string()])),
  }),
  responses: { 201: v.looseObject({ id: v.string() }) },
}))

const Get = defineContract(() => ({
  operationId: 'GetThing',
  method: 'GET',
  path: '/things',
  summary: 'Get',
  security: 'none',
  responses: { 200: v.optional(v.looseObject({ id: v.string() })) },
}))

const Fetch = defineContract(() => ({
  ...Get,
  contentType: 'application/octet-stream',
  responses: { 200: v.string() },
}))

const Put = defineContract(() => ({ ...Post, writes: true, idempotent: true }))

const handle = vi.fn()
const authorize = ({ principal, path }: { principal: Principal; path: { id: string } }) => {
  if (path.id === 'theirs') throw new AgentError('auth.forbidden', 'Forbidden')
  return `${principal.tenantId}`
}
const post = defineOperation(Post, { authorize, handle })
const valid = { path: { id: '1' }, body: { name: 'n' } }
const postWith = (given: Given) => call(post, { ...valid, ...given })

beforeEach(() => {
  handle.mockReset().mockResolvedValue({ id: '1' })
})

describe('a request that passes every check', () => {
  test('reaches the handler with principal, agent, path, query and body', async () => {
    await postWith({ query: { limit: '5' } })
    expect(handle).toHaveBeenCalledExactlyOnceWith({
      principal: expect.objectContaining({ role: 'RestTenantAgent', tenantId: 'acme', subject: 'alice' }),
      agent: 'acme',
      path: { id: '1' },
      query: { limit: 5, order: 'asc' },
      body: { name: 'n' },
      unit: undefined,
      signal: expect.objectContaining({ aborted: false }),
    })
  })

  test('is read with headers whatever the case of their names, the last of each', async () => {
    const headers = { 'content-type': 'text/plain', 'content-TYPE': 'application/json; charset=UTF-8' }
    await expect(postWith({ headers })).resolves.toMatchObject({ statusCode: 201 })
    const event = gatewayEvent({ headers: { ...headers, 'Idempotency-Key': 'k' } })
    const names = ['content-type', 'idempotency-key', 'accept']
    expect(names.map((name) => headerOf(event, name))).toEqual(['application/json; charset=UTF-8', 'k', undefined])
  })

  test("is answered with the contract's status, JSON, the request id, CORS and no-store", async () => {
    await expect(postWith({})).resolves.toEqual({
      statusCode: 201,
      headers: {
        'content-type': 'application/json',
        'x-request-id': 'request-1',
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'x-request-id, link, retry-after',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
      body: { id: '1' },
    })
  })

  test("is answered with the handler's own headers", async () => {
    handle.mockResolvedValue(
      new OperationResponse({ id: '1' }, { link: '<x>; rel="next"', 'content-type': 'application/x+json' }),
    )
    const { headers } = await postWith({})
    expect(headers).toMatchObject({
      link: '<x>; rel="next"',
      'content-type': 'application/x+json',
      'x-request-id': 'request-1',
    })
  })

  test('keeps fields of the response that the schema does not have', async () => {
    handle.mockResolvedValue({ id: '1', more: [1] })
    await expect(postWith({})).resolves.toMatchObject({ body: { id: '1', more: [1] } })
  })

  test('is answered with nothing where the contract allows nothing', async () => {
    const { body, headers } = await call(defineOperation(Get, { handle: async () => undefined }))
    expect(body).toBeUndefined()
    expect(headers).not.toHaveProperty('content-type')
  })

  test('may come in base64', async () => {
    const body = Buffer.from('{"name":"ä"}').toString('base64')
    await postWith({ body, isBase64Encoded: true })
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ body: { name: 'ä' } }))
  })

  test('may hold NUL characters and names like those of Object.prototype, which stay what they are: data', async () => {
    await expect(postWith({ body: { name: 'a\u0000b' } })).resolves.toMatchObject({ statusCode: 201 })
    const { body } = await postWith({ body: '{"name":"n","toString":2,"hasOwnProperty":3}' })
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(['toString', 'hasOwnProperty'])
  })
})

describe('an operation that changes something', () => {
  const unit = new UnitOfWork('acme')
  const inTransaction = vi.fn<typeof RealTransaction>(async (_, act) => Object(await act(unit)))
  const put = defineOperation(Put, { authorize, handle }, inTransaction)
  const putWith = (given: Given) => call(put, { ...valid, ...given })

  beforeEach(() => {
    inTransaction.mockClear()
  })

  test('runs in a transaction of its agent, with what identifies the request', async () => {
    const headers = { 'content-type': 'application/json', 'Idempotency-Key': 'k' }
    await expect(putWith({ headers, query: { limit: '5' } })).resolves.toMatchObject({ statusCode: 201 })
    const command = {
      agent: 'acme',
      subject: 'alice',
      idempotent: true,
      idempotencyKey: 'k',
      request: JSON.stringify(['PostThing', { id: '1' }, { limit: 5, order: 'asc' }, { name: 'n' }]),
      codec: undefined,
    }
    expect(inTransaction).toHaveBeenCalledExactlyOnceWith(command, expect.any(Function))
    expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ agent: 'acme', unit }))
  })

  test('opens none for a caller who may not make the request', async () => {
    await expect(putWith({ path: { id: 'theirs' } })).resolves.toMatchObject({ statusCode: 403 })
    expect(inTransaction).not.toHaveBeenCalled()
  })
})

test('a caller who may not make the request is a 403, and the handler is not run', async () => {
  const { statusCode, body } = await postWith({ path: { id: 'theirs' } })
  expect({ statusCode, body }).toEqual({ statusCode: 403, body: { statusCode: 403, error: 'Forbidden' } })
  expect(handle).not.toHaveBeenCalled()
})

describe('401: unknown callers', () => {
  test.each([
    ['no authorizer', undefined],
    ['an authorizer that says no principal', { principalId: 'x' }],
    ['a cached allow whose token has expired', authorizerOf({ ...PRINCIPAL, expiresAt: 1000 })],
  ])('with %s', async (_, authorizer) => {
    await expect(postWith({ authorizer })).resolves.toMatchObject({
      statusCode: 401,
      headers: { 'www-authenticate': 'Bearer', 'x-request-id': 'request-1', 'access-control-allow-origin': '*' },
      body: { statusCode: 401, error: 'Unauthorized' },
    })
    expect(handle).not.toHaveBeenCalled()
  })

  test('carries nothing but status and reason phrase', async () => {
    const { body } = await postWith({ authorizer: undefined })
    expect(body).toEqual({ statusCode: 401, error: 'Unauthorized' })
  })
})

describe('400: a path, a query or a body that cannot be read', () => {
  test('reads an id that the gateway left encoded', async () => {
    await postWith({ path: { id: 'a%3Ab' } })
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ path: { id: 'a:b' } }))
    await expect(postWith({ path: { id: '100%' } })).resolves.toMatchObject({ statusCode: 400 })
  })

  test('with a parameter that is given twice', async () => {
    const given = { query: { limit: '2' }, repeatedQuery: { limit: ['1', '2'] } }
    await expect(postWith(given)).resolves.toMatchObject({ statusCode: 400, body: { details: [{ path: 'limit' }] } })
    const unknown = { query: { utm: 'b' }, repeatedQuery: { utm: ['a', 'b'] } }
    await expect(postWith(unknown)).resolves.toMatchObject({ statusCode: 201 })
  })

  test('with a parameter that the gateway could not decode', async () => {
    const body = { message: 'The query is not UTF-8 in percent-encoding' }
    await expect(postWith({ query: { cursor: '\uFFFD%A' } })).resolves.toMatchObject({ statusCode: 400, body })
  })

  test('with a body that is no UTF-8', async () => {
    const body = Buffer.from([0x22, 0xff, 0x22]).toString('base64')
    await expect(postWith({ body, isBase64Encoded: true })).resolves.toMatchObject({ statusCode: 400 })
  })

  test.each([
    "{'a':1}",
    '{"a":1,}',
    '{"a":NaN}',
    'null null',
    ' ',
    '{}\ufeff',
    '{"a":"\n"}',
    '/**/{}',
    '['.repeat(200_000),
  ])('with a body that is not JSON, which is parsed once: %j', async (body) => {
    const parse = vi.spyOn(JSON, 'parse')
    const message = 'The body is not JSON'
    await expect(postWith({ body })).resolves.toMatchObject({ statusCode: 400, body: { message } })
    expect(parse.mock.calls.filter(([text]) => text === body)).toHaveLength(1)
    parse.mockRestore()
  })
})

test.each(['base64', 'utf8'] as const)('a byte order mark before a body is dropped: %s', async (encoding) => {
  const body = Buffer.from('\ufeff{"name":"n"}').toString(encoding)
  await expect(postWith({ body, isBase64Encoded: encoding === 'base64' })).resolves.toMatchObject({ statusCode: 201 })
})

describe('413: a body that is too large', () => {
  const json = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`

  test.each([
    [262_144, 422],
    [262_145, 413],
  ])('counts bytes behind base64: %i are a %i', async (bytes, statusCode) => {
    const body = Buffer.from(json(bytes)).toString('base64')
    await expect(postWith({ body, isBase64Encoded: true })).resolves.toMatchObject({ statusCode })
  })
})

describe('415: a body of another content type', () => {
  test.each([
    ['application/json', 201],
    ['application/ld+json; charset="utf-8"', 201],
    ['application/json;charset=us-ascii', 201],
    ['application/json; profile=x', 201],
    ['APPLICATION/JSON;charset="UTF-8"', 201],
    ['', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=utf-8859', 415],
    ['application/json; charset=iso-8859-1', 415],
    ['application/jsonp', 415],
    ['text/json', 415],
    ['text/plain', 415],
  ])('%s is a %i', async (contentType, statusCode) => {
    await expect(postWith({ headers: { 'content-type': contentType } })).resolves.toMatchObject({ statusCode })
  })

  test('although it is empty: the content type comes first', async () => {
    const headers = { 'content-type': 'text/plain' }
    await expect(postWith({ headers, body: '' })).resolves.toMatchObject({ statusCode: 415 })
  })
})

describe('an id in the path', () => {
  const path = v.object({ id: v.string() })
  const contract = defineContract(() => ({ ...Get, security: 'token' as const, parameters: { path } }))
  const get = defineOperation(contract, handle)

  test.each([
    ['did%3Akey%3Az6Mk', 'did:key:z6Mk'],
    ['did:web:one.example%3A8443:a', 'did:web:one.example%3A8443:a'],
    ['did:web:one.example%3a8443', 'did:web:one.example%3A8443'],
    ['did:webvh:Qm1:one.example%3a8443', 'did:webvh:Qm1:one.example%3A8443'],
    ['did%3Aweb%3Aone.example%253A8443', 'did:web:one.example%3A8443'],
    ['100%', '100%'],
  ])('%s is %s: decoded, and the port of a DID stays encoded', async (id, decoded) => {
    await call(get, { path: { id } })
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ path: { id: decoded } }))
  })
})

describe('422: JSON that breaks the schema', () => {
  const details = async (body: unknown) => {
    const given = await postWith({ body })
    expect(given.statusCode).toBe(422)
    expect(given.body).toMatchObject({ statusCode: 422, error: 'Unprocessable Content', message: expect.any(String) })
    return given.body.details
  }

  test('names every failing field, unknown ones too', async () => {
    await expect(details({ size: 'x', inner: { b: 1, c: 2 }, more: 1, less: 2 })).resolves.toEqual([
      { path: 'name', message: 'is required' },
      { path: 'size', message: 'must be number' },
      { path: 'inner.a', message: 'is required' },
      { path: 'inner.b', message: 'is not a known field' },
      { path: 'inner.c', message: 'is not a known field' },
      { path: 'more', message: 'is not a known field' },
      { path: 'less', message: 'is not a known field' },
    ])
  })

  test('rejects an array for an object within', async () => {
    await expect(details({ name: 'n', inner: [] })).resolves.toEqual([{ path: 'inner', message: 'must be an object' }])
  })

  test.each(['"text"', 'null', '7', '0', 'false', '[]', '""'])('rejects anything but an object: %s', async (body) => {
    await expect(details(body)).resolves.toMatchObject([{ path: '' }])
  })

  test('says of a fraction that it must be a whole number', async () => {
    const path = 'size'
    await expect(details({ name: 'n', size: 1.5 })).resolves.toEqual([{ path, message: 'must be a whole number' }])
  })

  test('does not repeat what came in', async () => {
    const { body } = await postWith({ body: { name: 'SECRET-SECRET' } })
    expect(JSON.stringify(body)).not.toContain('SECRET')
  })

  test('rejects keys of a prototype', async () => {
    await expect(details('{"name":"n","__proto__":{"a":1}}')).resolves.toHaveLength(1)
    await expect(details('{"name":"n","inner":{"constructor":{"prototype":{}}}}')).resolves.toHaveLength(1)
    await expect(details('{"name":"n","inner":{"constructor":1}}')).resolves.toHaveLength(1)
    expect(Object.prototype).not.toHaveProperty('a')
  })

  test('rejects strings that are not Unicode, at any place', async () => {
    await expect(details('{"name":"\\ud800"}')).resolves.toEqual([
      { path: 'name', message: 'must be well-formed Unicode' },
    ])
    await expect(details('{"name":"n","\\udc00":1}')).resolves.toHaveLength(1)
  })

  test('rejects a value that is nested deeper than 64 levels', async () => {
    const nested = (levels: number) => details(`{"name":${'['.repeat(levels)}${']'.repeat(levels)}}`)
    for (const levels of [65, 3_000, 100_000]) expect((await nested(levels))[0].message).toContain('nested')
    expect((await nested(64))[0].message).not.toContain('nested')
  })

  test('names the values of a choice unchanged', async () => {
    await expect(details({ name: 'n', choice: 'x' })).resolves.toEqual([
      { path: 'choice', message: 'must be ("contentApproved" | "never")' },
    ])
  })

  test('names the fields of the branch of a choice that came furthest', async () => {
    await expect(details({ name: 'n', either: [{ a: 1 }] })).resolves.toEqual([
      { path: 'either.0.a', message: 'must be string' },
    ])
    await expect(details({ name: 'n', either: 7 })).resolves.toEqual([
      { path: 'either', message: expect.stringContaining('must be') },
    ])
  })

  test('survives as many violations as a body can hold', async () => {
    const either = Array.from({ length: 130_000 }, () => 1)
    await expect(details({ name: 'n', either })).resolves.toHaveLength(200)
  })

  test('bounds the details for a body full of violations', async () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, 1]))
    await expect(details(body)).resolves.toHaveLength(200)
    await expect(details({ name: 'n', ['x'.repeat(300)]: 1 })).resolves.toMatchObject([{ path: 'x'.repeat(200) }])
  })
})

describe('the order of the checks', () => {
  const broken = {
    path: { id: '/' },
    query: { limit: 'x' },
    headers: { 'Idempotency-Key': 'a b' },
    body: 'x'.repeat(300_000),
  }

  test('is principal, path, query, key, size, content type, JSON, schema, who may', async () => {
    const inTransaction: typeof RealTransaction = async (_, act) => Object(await act(new UnitOfWork('acme')))
    const put = defineOperation(Put, { authorize, handle }, inTransaction)
    const statuses = []
    let given: Given = { ...broken, authorizer: undefined }
    const repairs = [
      { authorizer: AUTHORIZER },
      { path: { id: 'theirs' } },
      { query: {} },
      { headers: {} },
      { body: '{' },
      { headers: { 'content-type': 'application/json' } },
      { body: '{}' },
      { body: '{"name":"n"}' },
      { path: { id: '1' } },
    ]
    for (const repair of [{}, ...repairs]) {
      given = { ...given, ...repair }
      const { statusCode, body } = await call(put, given)
      statuses.push([statusCode, body.message])
    }
    expect(statuses).toEqual([
      [401, undefined],
      [400, 'The path is not valid'],
      [400, 'The query is not valid'],
      [400, 'the Idempotency-Key must be 1 to 255 visible characters'],
      [413, expect.any(String)],
      [415, expect.any(String)],
      [400, 'The body is not JSON'],
      [422, expect.any(String)],
      [403, undefined],
      [201, undefined],
    ])
  })
})

describe('errors of the handler', () => {
  const STATUSES: Record<ErrorCode, number> = {
    'request.malformed': 400,
    'auth.unauthorized': 401,
    'auth.forbidden': 403,
    'resource.not_found': 404,
    'connection.not_ready': 409,
    'connection.no_endpoint': 409,
    'connection.queue_full': 409,
    'exchange.out_of_turn': 409,
    'endpoint.not_active': 409,
    'invitation.received': 409,
    'invitation.out_of_turn': 409,
    'credential.not_revocable': 409,
    'revocation.no_index': 409,
    'did.exists': 409,
    'key.exists': 409,
    'certificate.too_many': 409,
    'certificate.in_use': 409,
    'openid.id_taken': 409,
    'openid.too_many': 409,
    'openid.in_use': 409,
    'status.out_of_turn': 409,
    'status.index_taken': 409,
    'schema.exists': 409,
    'definition.exists': 409,
    'definition.not_ready': 409,
    'anoncreds.unavailable': 409,
    'store.conflict': 409,
    'idempotency.mismatch': 409,
    'resource.gone': 410,
    'request.too_large': 413,
    'store.item_too_large': 413,
    'store.transaction_too_large': 413,
    'request.unsupported_media_type': 415,
    'request.invalid': 422,
    'quota.exceeded': 429,
    internal: 500,
    'settings.invalid': 500,
    'store.query_not_indexed': 500,
    'store.unavailable': 503,
    'registry.unavailable': 503,
    'auth.keys_unavailable': 503,
    'oauth.invalid_token': 401,
    'oauth.invalid_grant': 400,
    'oauth.unsupported_grant_type': 400,
    'oauth.invalid_credential_request': 400,
    'oauth.unknown_credential_configuration': 400,
    'oauth.unknown_credential_identifier': 400,
    'oauth.invalid_proof': 400,
    'oauth.invalid_nonce': 400,
    'oauth.credential_request_denied': 400,
    'oauth.invalid_notification_request': 400,
    'oauth.invalid_notification_id': 400,
  }
  /** RFC 9110, and RFC 6585. */
  const PHRASES: Record<number, string> = {
    400: 'Bad Request',
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'Not Found',
    409: 'Conflict',
    410: 'Gone',
    413: 'Content Too Large',
    415: 'Unsupported Media Type',
    422: 'Unprocessable Content',
    429: 'Too Many Requests',
    500: 'Internal Server Error',
    503: 'Service Unavailable',
  }

  test.each(Object.entries(STATUSES) as [ErrorCode, number][])('%s is a %i', async (code, statusCode) => {
    const error = PHRASES[statusCode]
    handle.mockRejectedValue(new AgentError(code, 'why'))
    const { body, ...rest } = await postWith({})
    expect(rest).toMatchObject({
      statusCode,
      headers: { 'x-request-id': 'request-1', 'access-control-allow-origin': '*' },
    })
    const explained = statusCode < 500 && statusCode !== 401 && statusCode !== 403
    expect(body).toEqual(explained ? { statusCode, error, message: 'why' } : { statusCode, error })
    expect(rest.headers['retry-after']).toBe(statusCode === 503 ? '1' : undefined)
  })

  test('that is an ordinary wait says when to come again', async () => {
    handle.mockRejectedValue(new AgentError('definition.not_ready', 'why', { retryAfter: 60 }))
    const { headers } = await postWith({})
    expect(headers).toMatchObject({ 'retry-after': '60' })
    handle.mockRejectedValue(new AgentError('definition.not_ready', 'why'))
    expect((await postWith({})).headers).not.toHaveProperty('retry-after')
  })

  test.each([
    [Object.assign(new Error('slow down'), { name: 'ThrottlingException' })],
    [Object.assign(new Error('gone'), { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } })],
    [Object.assign(new Error('many'), { name: 'OtherException', $metadata: { httpStatusCode: 429 } })],
    [Object.assign(new Error('late'), { name: 'TimeoutError' })],
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
    [new Error('wrapped', { cause: new AgentError('store.unavailable', 'x') })],
  ])('%s is a 503 with a time to come back', async (error) => {
    handle.mockRejectedValue(error)
    await expect(postWith({})).resolves.toMatchObject({
      statusCode: 503,
      headers: { 'retry-after': '1' },
      body: { statusCode: 503, error: 'Service Unavailable' },
    })
  })

  test.each([
    new Error('inside'),
    new TypeError('inside'),
    'inside',
    undefined,
    null,
    { statusCode: 404, message: 'inside' },
  ])('that is unknown (%s) is a 500 without internal details', async (error) => {
    handle.mockImplementation(async () => {
      throw error
    })
    const { statusCode, body } = await postWith({})
    expect(statusCode).toBe(500)
    expect(body).toEqual({ statusCode: 500, error: 'Internal Server Error' })
  })

  test('an invalid response is a 500, not half a response', async () => {
    handle.mockResolvedValue({ name: 'no id' })
    await expect(postWith({})).resolves.toMatchObject({ statusCode: 500, body: { error: 'Internal Server Error' } })
  })

  test.each([
    ['a page', new Page('<p>')],
    ['a redirect', new Redirect('https://elsewhere.example')],
    ['a document', new Document('text', { cacheControl: 'public', etag: '"1"' })],
  ])('%s where the contract has none is a 500', async (_, result) => {
    handle.mockResolvedValue(result)
    await expect(postWith({})).resolves.toMatchObject({ statusCode: 500 })
  })

  test('a handler that outlasts the function is a 503 before the gateway loses patience', async () => {
    handle.mockReturnValue(new Promise(() => undefined))
    const context = { getRemainingTimeInMillis: () => 300 } as Parameters<typeof post>[1]
    const ended: unknown[] = []
    const note = (what: unknown) => ended.push(what)
    // middy's timers are none that a test can replace.
    const waits = [25, 125].map((ms) => delay(ms, `${ms} ms`).then(note))
    await Promise.all([...waits, post(gatewayEvent(valid), context).then(note)])
    expect(ended).toEqual(['25 ms', expect.objectContaining({ statusCode: 503 }), '125 ms'])
  })

  test('what it does after that is not committed: the process may have been frozen meanwhile, for a day', async () => {
    const handled = Promise.withResolvers<object>()
    handle.mockReturnValue(handled.promise)
    const inTransaction = vi.fn<typeof RealTransaction>(async (_, act) => Object(await act(new UnitOfWork('acme'))))
    const put = defineOperation(Put, { authorize, handle }, inTransaction)
    const context = { getRemainingTimeInMillis: () => 250 } as Parameters<typeof put>[1]
    expect(await put(gatewayEvent(valid), context)).toMatchObject({ statusCode: 503 })
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ signal: expect.objectContaining({ aborted: true }) }))
    handled.resolve({ id: '1' })
    await expect(inTransaction.mock.results[0]?.value).rejects.toMatchObject({ code: 'store.unavailable' })
  })
})

describe('a token that is optional', () => {
  const Optional = defineContract(() => ({ ...Get, security: 'optional' as const }))
  const principal = { role: 'RestRootAgent', organizations: {}, subject: 's', expiresAt: 0 } as const
  const verify = vi.fn(async (authorization: string) => {
    if (authorization !== 'Bearer good') throw new AgentError('auth.unauthorized', 'Unauthorized')
    return principal
  })
  const optional = defineOperation(Optional, { authorize: () => 'acme', handle, verify })

  test('is verified when it is there', async () => {
    await call(optional, { headers: { AUTHORIZATION: 'Bearer good' } })
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ principal }))
  })

  test('is not asked for when it is not', async () => {
    await call(optional, { headers: {} })
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ principal: undefined }))
  })

  test('is a 401 when it is bad', async () => {
    await expect(call(optional, { headers: { authorization: 'Bearer bad' } })).resolves.toMatchObject({
      statusCode: 401,
    })
    expect(handle).not.toHaveBeenCalled()
  })

  test('is a 503 when it cannot be checked', async () => {
    verify.mockRejectedValueOnce(new AgentError('auth.keys_unavailable', 'x'))
    await expect(call(optional, { headers: { authorization: 'Bearer good' } })).resolves.toMatchObject({
      statusCode: 503,
    })
  })

  test('does not make a principal of an authorizer that should not be there', async () => {
    await call(optional, { headers: {}, authorizer: AUTHORIZER })
    expect(handle).toHaveBeenCalledWith(expect.objectContaining({ principal: undefined }))
  })
})

test('the body of a caller without a token is parsed by JSON.parse alone: middy takes 20 times as long for a large one', async () => {
  const contract = defineContract(() => ({ ...Post, security: 'optional' as const }))
  const open = defineOperation(contract, { authorize: () => 'acme', handle, verify: async () => PRINCIPAL })
  const event = gatewayEvent(valid)
  const sent = event.body
  await open(event, { getRemainingTimeInMillis: () => 5000 } as Context)
  expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ body: { name: 'n' } }))
  expect(event.body).toBe(sent)
})

describe('the log', () => {
  const written = vi.spyOn(console, 'log')

  beforeEach(async () => {
    written.mockReset().mockReturnValue(undefined)
    const { settings } = await import('../../../lib/settings.ts')
    settings().LOG_LEVEL = 'info'
  })

  afterEach(async () => {
    const { settings } = await import('../../../lib/settings.ts')
    settings().LOG_LEVEL = 'silent'
  })

  const lines = () => written.mock.calls.map(([line]) => JSON.parse(String(line)))

  test('has one line for an error, with request id, operation, status and causes', async () => {
    handle.mockRejectedValue(new Error('outer', { cause: new TypeError('inner') }))
    await postWith({})
    expect(lines()).toEqual([
      expect.objectContaining({
        level: 'error',
        requestId: 'request-1',
        operationId: 'PostThing',
        status: 500,
        name: 'Error',
        message: 'outer',
        causes: [{ name: 'TypeError', message: 'inner' }],
      }),
    ])
  })

  test('has one line for a refusal, with the code and the failing fields', async () => {
    await postWith({ body: { name: 'SECRET-SECRET' } })
    expect(lines()).toEqual([
      expect.objectContaining({ level: 'warn', status: 422, code: 'request.invalid', fields: ['name'] }),
    ])
  })

  test('names no more than 20 fields', async () => {
    await postWith({ body: Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`field${index}`, 1])) })
    expect(lines()[0]?.fields).toHaveLength(20)
  })

  test('has of a path only what the schema can have named', () => {
    const details = ['options.contexts.https://example.org/SECRET/v1', 'credential.@context.0', 'SECRET SECRET'].map(
      (path) => ({ path, message: 'is refused' }),
    )
    expect(toErrorLog(new AgentError('request.invalid', 'no', { details })).fields).toEqual([
      'options.contexts',
      'credential.@context.0',
      '',
    ])
  })

  test('has nothing of a body, a token or an invalid response', async () => {
    handle.mockResolvedValue({ secret: 'SECRET' })
    await postWith({ headers: { 'content-type': 'application/json', authorization: 'Bearer SECRET' } })
    await postWith({ body: '{"name":"SECRET-SECRET","x":"SECRET"}' })
    await postWith({ body: 'SECRET' })
    expect(lines()).toHaveLength(3)
    expect(JSON.stringify(lines())).not.toContain('SECRET')
  })

  test('has no line for a success', async () => {
    await postWith({})
    expect(lines()).toEqual([])
  })

  describe('an error that the handler throws', () => {
    const withMessage = (message: unknown) => Object.assign(new Error(), { message })
    const throwing = (name: string, error: Error = new Error('inside')) =>
      Object.defineProperty(error, name, {
        get: () => {
          throw new Error('from within')
        },
      })
    const causedByItself = () => {
      const error = new Error('a')
      error.cause = new Error('b', { cause: error })
      return error
    }
    const chain = () => {
      let error = new Error('inside')
      for (let link = 0; link < 100_000; link++) error = new Error('inside', { cause: error })
      return error
    }
    const hostile: ProxyHandler<Error> = {
      get: () => {
        throw new Error('from within')
      },
      getPrototypeOf: () => {
        throw new Error('from within')
      },
    }

    test.each<[string, () => unknown]>([
      ['an error as its message', () => withMessage(new Error('inside'))],
      ['an error with an error as its message as its message', () => withMessage(withMessage(new Error('inside')))],
      ['an object as its message', () => withMessage({ toString: null })],
      ['a symbol as its message', () => withMessage(Symbol('inside'))],
      ['a number as its message', () => withMessage(1n)],
      ['no message', () => withMessage(undefined)],
      ['a message that cannot be read', () => throwing('message')],
      ['a name that is none', () => Object.assign(new Error('inside'), { name: { a: 1 } })],
      ['a name that cannot be read', () => throwing('name')],
      ['a cause that cannot be read', () => throwing('cause')],
      ['a stack that cannot be read', () => throwing('stack')],
      ['a stack that is none', () => Object.assign(new Error('inside'), { stack: 7 })],
      ['a code that cannot be read', () => throwing('code')],
      ['metadata that cannot be read', () => throwing('$metadata')],
      ['itself as its cause', causedByItself],
      ['a hundred thousand causes', chain],
      ['a cause with an error as its message', () => new Error('a', { cause: withMessage(new Error('b')) })],
      ['a message of a megabyte', () => new Error('x'.repeat(1 << 20))],
      ['a proxy around it that is no use', () => new Proxy(new Error('inside'), hostile)],
      ['a symbol in its place', () => Symbol('inside')],
      ['a function in its place', () => () => 'inside'],
      ['a proxy in its place', () => new Proxy({}, hostile as ProxyHandler<object>)],
    ])('with %s is a 500, and a line in the log', async (_, make) => {
      handle.mockImplementation(async () => {
        throw make()
      })
      const { statusCode, body } = await postWith({})
      expect(body).toEqual({ statusCode: 500, error: 'Internal Server Error' })
      expect(statusCode).toBe(500)
      expect(written).toHaveBeenCalledTimes(1)
      const line = String(written.mock.calls[0]?.[0])
      expect(JSON.parse(line)).toMatchObject({ level: 'error', status: 500, message: expect.any(String) })
      expect(line.length).toBeLessThan(10_000)
    })

    test('with an error as its message tells the log what that one says', async () => {
      expect(toErrorLog(withMessage(new Error('the DID does not resolve')))).toMatchObject({
        message: 'the DID does not resolve',
      })
    })
  })
})

describe('a stored document', () => {
  const etag = '"1"'
  const fetching = (content: string | Uint8Array, headers: Record<string, string> = {}) =>
    defineOperation(Fetch, { handle: async () => new Document(content, { cacheControl: 'no-cache', etag }) })(
      gatewayEvent({ headers }),
      { awsRequestId: 'lambda-1', getRemainingTimeInMillis: () => 5000 } as Context,
    )

  test('is sent unchanged, with its type, its caching, and the headers of every response', async () => {
    expect(await fetching('text')).toMatchObject({
      statusCode: 200,
      headers: {
        'content-type': 'application/octet-stream',
        'cache-control': 'no-cache',
        etag,
        'x-request-id': 'request-1',
      },
      body: 'text',
    })
  })

  test('of bytes goes to the gateway in base64', async () => {
    const { isBase64Encoded, body } = await fetching(Uint8Array.from([0, 255]))
    expect({ isBase64Encoded, body }).toEqual({ isBase64Encoded: true, body: 'AP8=' })
  })

  test.each([
    [etag, 304],
    [`W/${etag}`, 304],
    [`"0", ${etag}`, 304],
    ['*', 304],
    ['"0"', 200],
    ['', 200],
  ])('for If-None-Match %s is a %i, with its type', async (given, statusCode) => {
    const answered = await fetching('text', { 'If-None-Match': given })
    const headers = { etag, 'content-type': 'application/octet-stream' }
    expect(answered).toMatchObject({ statusCode, headers, body: statusCode === 304 ? '' : 'text' })
  })
})

describe('a body of which no field is required', () => {
  const contract = defineContract(() => ({ ...Post, body: exactly({ comment: v.optional(v.string(), 'none') }) }))
  const operation = defineOperation(contract, { authorize, handle })
  const ask = (given: Given) => call(operation, { path: { id: '1' }, ...given })

  test.each([undefined, 'application/x-www-form-urlencoded', 'application/json', 'text/plain'])(
    'may be missing, whatever its content type says: %s',
    async (contentType) => {
      const headers = contentType === undefined ? {} : { 'content-type': contentType }
      expect(await ask({ headers })).toMatchObject({ statusCode: 201 })
      expect(handle).toHaveBeenCalledWith(expect.objectContaining({ body: { comment: 'none' } }))
    },
  )

  test('is checked as any other where it is there', async () => {
    expect(await ask({ body: { other: 1 } })).toMatchObject({ statusCode: 422 })
    expect(await ask({ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } })).toMatchObject({
      statusCode: 415,
    })
  })
})
