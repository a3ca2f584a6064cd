/** What operations refuse alike, as tests: callers that are not known, ids that are none, bodies that can't be read. */
import { describe, expect, test } from 'vitest'
import { BAD_TOKENS, NO_TOKEN } from './bad-tokens.ts'
import { acme, api, expectError, expectInvalid, expectMalformed, world } from './scene.ts'
import { newIssuer, sign } from './tokens.ts'

interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  /** One that the operation takes. */
  body?: object
}

const ask = ({ method, path, body }: Route, authorization: string | undefined) =>
  api.ask(method, path, { body, ...(authorization !== undefined && { headers: { authorization } }) })

/** Nobody gets in without a valid token, and nobody is told why. `takesNone`: a request without any token is another matter. */
export const refusesStrangers = (route: Route, { takesNone = false } = {}): void => {
  describe('a caller who is not known is refused with 401 and nothing else', () => {
    test.each(Object.entries({ ...BAD_TOKENS, ...(!takesNone && NO_TOKEN) }))('%s', async (_, makeHeader) => {
      expectError(await ask(route, await makeHeader(world)), 401)
    })

    test('with a key set that is out of reach it is our failure, not theirs', async () => {
      const token = await sign(world.issuers.unreachable, { role: 'RestRootAgent' })
      const { status } = await ask(route, `Bearer ${token}`)
      expect(status).toBeGreaterThanOrEqual(500)
      const { issuer } = world.issuers.unreachable
      const forged = await sign({ ...(await newIssuer('other', 'ES256')), issuer }, {})
      expect((await ask(route, `Bearer ${forged}`)).status).toBeGreaterThanOrEqual(500)
    })
  })
}

/** As they go out in the request line. */
const NO_IDS: Record<string, string> = {
  'a space': 'a%20b',
  'an encoded slash': 'a%2Fb',
  'an encoded backslash': 'a%5Cb',
  'a way up': '..%2F..',
  NUL: 'a%00b',
  'a line end': 'a%0D%0Ab',
  'a letter beyond ASCII': '%C3%A9',
  'the separator of the table': 'a%7Cb',
  'the sign of the base agent': '%40base',
  'double encoding': 'a%2561',
  '65 characters': 'a'.repeat(65),
  '4,000 characters': 'a'.repeat(4000),
}

/** A path whose parameter breaks the alphabet of ids is a 400 that names it. */
export const refusesMalformedIds = (route: Route, parameter: string, pathOf: (id: string) => string): void => {
  describe(`${parameter} has 1 to 64 characters of the alphabet of ids, else 400`, () => {
    test.each(Object.entries(NO_IDS))('%s', async (_, id) => {
      const answer = await api.ask(route.method, pathOf(id), { token: acme.token, body: route.body })
      expectMalformed(answer, 'path', [parameter])
    })

    test.each(['%', '%zz', '%C3', '%ff%fe', '%ED%A0%80'])('%s is no encoding of UTF-8 at all', async (id) => {
      const { status } = await api.ask(route.method, pathOf(id), { token: acme.token, body: route.body })
      expect(status).toBe(400)
    })
  })
}

const LIMIT = 256 * 1024

/** What is no JSON in UTF-8 of at most 256 KiB is refused before anybody looks at its fields. */
export const refusesUnreadableBodies = ({ path, body = {} }: Route, token: string | undefined): void => {
  const post = (sent: string | Buffer, contentType: string | undefined = 'application/json') =>
    api.send({
      method: 'POST',
      path,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(contentType !== '' && { 'content-type': contentType }),
      },
      body: sent,
    })
  const valid = JSON.stringify(body)

  describe('a body that is missing or no JSON is a 400', () => {
    test.each([
      ['', 'application/json'],
      ['', ''],
    ])('missing (%s%s)', async (sent, contentType) => {
      expectError(await post(sent, contentType), 400, { message: 'The body is missing' })
    })

    test.each([
      '{',
      '{"a":1',
      "{'a':1}",
      '{"a":1,}',
      '{"a":NaN}',
      '{"a":undefined}',
      '[1,]',
      'null null',
      'text',
      ' ',
      '\u{FEFF}{}',
      '{"a":"\n"}',
      '{"a":"\\x"}',
      '/**/{}',
    ])('%j', async (sent) => {
      expectError(await post(sent), 400, { message: 'The body is not JSON' })
    })
  })

  describe('a body that is not declared as JSON in UTF-8 is a 415', () => {
    test.each([
      '',
      'garbage',
      'multipart/form-data',
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'application/jsonp',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
    ])('%j', async (contentType) => {
      expectError(await post(valid, contentType), 415, { message: 'The content type is not JSON' })
    })

    test.each(['application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"', 'application/ld+json'])(
      'but %s is',
      async (contentType) => {
        expect((await post('[]', contentType)).status).toBe(422)
      },
    )
  })

  test.each(['"text"', 'null', '7', '0', 'true', 'false', '[]', '"{}"', '""'])(
    'JSON that is no object is a 422: %s',
    async (sent) => {
      expectInvalid(await post(sent), [''])
    },
  )

  test('JSON within JSON is a 422', async () => {
    expectInvalid(await post(JSON.stringify(valid)), [''])
  })

  test('JSON that is nested without end is a 422', async () => {
    for (const depth of [65, 1000, 10_000, 100_000]) {
      const answer = await post(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
      expect(answer.status).toBe(422)
      expect(answer.body.details[0].message).toBe('must not be nested deeper than 64 levels')
    }
  })

  test(`a body over ${LIMIT} bytes is a 413, whatever it holds and calls itself`, async () => {
    const message = `The body is over ${LIMIT} bytes`
    expectError(await post(' '.repeat(LIMIT - valid.length + 1) + valid), 413, { message })
    expectError(await post('x'.repeat(LIMIT + 1), 'text/plain'), 413, { message })
    expectError(await post(`{"a":"${'é'.repeat(LIMIT / 2)}"}`), 413, { message })
    // API Gateway's own limit.
    expectError(await post('x'.repeat(11 * 1024 * 1024)), 413)
  })

  test(`a body of ${LIMIT} bytes is read`, async () => {
    const { status } = await post(`${' '.repeat(LIMIT - 2)}[]`)
    expect(status).toBe(422)
  })
}
