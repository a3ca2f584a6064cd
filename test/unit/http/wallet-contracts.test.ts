/** What contracts of endpoints without a token say: bodies, documents, errors in OAuth's form, errors that commit. */

import * as v from 'valibot'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AgentError, CommittedError, type ErrorCode } from '../../../lib/errors.ts'
import { command } from '../../../lib/http/command.ts'
import { query } from '../../../lib/http/query.ts'
import { Document, type Result } from '../../../lib/http/request.ts'
import { defineContract } from '../../../lib/interface/contract.ts'
import type { Address } from '../../../lib/store/keys.ts'
import { getItem, toKey } from '../../../lib/store/table.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { tenantAddress } from '../../../lib/tenants/tenants.ts'
import { useTable } from '../store/use-table.ts'
import { call, gatewayEvent } from './gateway-event.ts'

const table = await useTable({ memory: true, check: false })
afterEach(() => {
  table.way = undefined
})

const Form = defineContract(() => ({
  operationId: 'GiveToken',
  method: 'POST',
  path: '/token',
  summary: 'Token',
  security: 'none',
  writes: true,
  bodyFormat: 'form',
  errors: 'oauth',
  body: v.object({ code: v.string(), pin: v.optional(v.string()) }),
  responses: { 200: v.looseObject({}) },
}))

const FORM = { 'content-type': 'application/x-www-form-urlencoded; Charset=UTF-8' }

const echo = command(Form, { authorize: async () => 'acme', handle: async ({ body }) => body })
const send = (body: string | Buffer, headers: Record<string, string> = FORM) =>
  call(echo, { headers, body: Buffer.from(body).toString('base64'), isBase64Encoded: true })

describe('a form', () => {
  test('is read by name, without empty values and unknown names', async () => {
    const { body } = await send('code=a%2Bb+%C3%A9%3D&pin=&more=1&')
    expect(body).toEqual({ code: 'a+b é=' })
  })

  test.each([
    ['with a name twice', 'code=1&code=2'],
    ['with a name twice in two encodings', 'code=1&c%6Fde=2'],
    ['with over 64 names', Array.from({ length: 65 }, (_, index) => `n${index}=`).join('&')],
    ['of a million names', '&a'.repeat(125_000)],
    ['not in UTF-8', 'code=%FF'],
    ['with raw bytes that are not UTF-8', Buffer.from([0x63, 0x3d, 0xff])],
    ['with half an escape', 'code=%4'],
    ['with a name that is a prototype', 'code=1&__proto__=x'],
    ['without what the schema asks for', 'pin=1'],
  ])('%s is a 400', async (_, body) => {
    expect(await send(body)).toMatchObject({ statusCode: 400, body: { error: 'invalid_request' } })
  })

  test.each(['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded; charset=latin1'])(
    'sent as %s is a 415',
    async (type) => {
      expect(await send('code=1', { 'content-type': type })).toMatchObject({ statusCode: 415 })
    },
  )
})

test('a contract without a body looks at neither body nor type', async () => {
  const { body: _, ...Bare } = Form
  const bare = command(
    defineContract(() => Bare),
    { authorize: () => 'acme', handle: async () => ({}) },
  )
  expect(await call(bare, { headers: { 'content-type': 'image/png' }, body: '\u0000' })).toMatchObject({
    statusCode: 200,
  })
})

describe('an error in OAuth’s form', () => {
  const failing = (error: unknown) =>
    command(Form, { authorize: () => Promise.reject(error), handle: async () => ({}) })
  const fail = (error: unknown) => call(failing(error), { headers: FORM, body: 'code=1' })

  test.each<[ErrorCode, number, string]>([
    ['request.invalid', 400, 'invalid_request'],
    ['auth.unauthorized', 401, 'invalid_token'],
    ['resource.not_found', 404, 'invalid_request'],
    ['store.unavailable', 503, 'temporarily_unavailable'],
    ['internal', 500, 'server_error'],
  ])('%s is a %i %s', async (code, statusCode, error) => {
    expect(await fail(new AgentError(code, 'why'))).toMatchObject({ statusCode, body: { error } })
  })

  test('has a description in ASCII, without quotes, backslashes and line breaks, and no more headers by it', async () => {
    const { body, headers } = await fail(new AgentError('request.malformed', 'a"b\\c\r\nset-cookie: ö'))
    expect(body.error_description).toBe('a?b?c??set-cookie: ?')
    expect(Object.keys(headers)).not.toContain('set-cookie')
  })

  test('says the scheme', async () => {
    expect((await fail(new AgentError('auth.unauthorized', ''))).headers).toMatchObject({
      'www-authenticate': 'Bearer',
    })
  })
})

describe('an error that commits', () => {
  let counter: Address
  let counters = 0
  beforeEach(() => {
    counters += 1
    counter = tenantAddress(`tries-${counters}`)
  })
  const triesOf = async () => Number((await getItem(counter))?.tries?.N ?? 0)
  /** Counts a try; the sixth finds the lock. */
  const count = async (unit: UnitOfWork): Promise<Result> => {
    const stored = await unit.get(counter)
    const tries = Number(stored?.tries?.N ?? 0)
    if (tries >= 5) throw new AgentError('request.malformed', 'locked')
    const item = { ...toKey(counter), kind: { S: 'tenant' }, tries: { N: String(tries + 1) } }
    if (stored === undefined) unit.create(item)
    else unit.replace(item, stored)
    return new CommittedError('request.malformed', 'wrong')
  }
  const wrong = command(Form, { authorize: () => 'acme', handle: ({ unit }) => count(unit) })
  const attempt = () => call(wrong, { headers: FORM, body: 'code=1' })

  test('is the response, and its writes are there; a thrown one writes nothing', async () => {
    expect(await attempt()).toMatchObject({
      statusCode: 400,
      body: { error: 'invalid_request', error_description: 'wrong' },
    })
    expect(await triesOf()).toBe(1)
  })

  test('is the response to those of 20 concurrent requests that were counted, at most five; a final conflict reveals nothing', async () => {
    const responses = await Promise.all(Array.from({ length: 20 }, attempt))
    const told = responses.filter(({ body }) => body.error_description === 'wrong')
    expect(told.length).toBe(await triesOf())
    expect(told.length).toBeLessThanOrEqual(5)
    const others = responses.filter(({ body }) => !['wrong', 'locked'].includes(body.error_description))
    for (const response of others)
      expect(response).toMatchObject({
        statusCode: 503,
        headers: { 'retry-after': '1' },
        body: { error: 'temporarily_unavailable' },
      })
  })

  test('is not sent if the commit fails', async () => {
    table.way = async (name, pass) => {
      if (/^(?:TransactWrite|Put)/.test(name)) throw Object.assign(new Error('away'), { name: 'InternalServerError' })
      return pass()
    }
    expect(await attempt()).toMatchObject({ statusCode: 503 })
    table.way = undefined
    expect(await triesOf()).toBe(0)
  })

  test.each([
    ['before', 0],
    ['after', 1],
  ])('was counted by a process that ended %s its commit %i times', async (when, tries) => {
    const never = new Promise<never>(() => undefined)
    const reached = new Promise<void>((resolve) => {
      table.way = async (name, pass) => {
        if (!/^(?:TransactWrite|Put)/.test(name)) return pass()
        if (when === 'after') await pass()
        resolve()
        return never
      }
    })
    // A request that never ends is like one of a killed process.
    attempt().catch(() => undefined)
    await reached
    table.way = undefined
    expect(await triesOf()).toBe(tries)
  })

  test('is not kept for an Idempotency-Key', async () => {
    const Keyed = defineContract(() => ({ ...Form, security: 'token', idempotent: true, bodyFormat: 'json' }))
    const keyed = command(Keyed, ({ unit }) => count(unit))
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' }
    for (const tries of [1, 2]) {
      expect(await call(keyed, { headers, body: { code: '1' } })).toMatchObject({ statusCode: 400 })
      expect(await triesOf()).toBe(tries)
    }
  })
})

describe('a document', () => {
  const Signed = defineContract(() => ({
    operationId: 'GetRequestObject',
    method: 'GET',
    path: '/request',
    summary: 'Request object',
    security: 'none',
    contentType: 'application/oauth-authz-req+jwt',
    responses: { 200: v.string() },
  }))
  const get = (document: Document, headers = {}) =>
    query(Signed, async () => document)(gatewayEvent({ headers }), { getRemainingTimeInMillis: () => 5000 } as never)

  test('without caching has its type, no ETag, and headers that scripts may read', async () => {
    const response = await get(new Document('a.b.c'))
    expect(response).toMatchObject({ statusCode: 200, body: 'a.b.c' })
    expect(response.headers).toMatchObject({
      'content-type': 'application/oauth-authz-req+jwt',
      'cache-control': 'no-store',
      'access-control-expose-headers': 'x-request-id, link, retry-after',
    })
    expect(response.headers).not.toHaveProperty('etag')
  })

  test('with a weak ETag is a 304 for who has it', async () => {
    const document = new Document('a.b.c', { cacheControl: 'public, max-age=300', etag: 'W/"1"' })
    expect(await get(document, { 'if-none-match': 'W/"1"' })).toMatchObject({ statusCode: 304 })
    expect(await get(document, { 'if-none-match': '"2"' })).toMatchObject({ statusCode: 200 })
  })
})
