/** What operations refuse alike, as tests: callers that are not known, ids that are none, bodies that can't be read. */
import { describe, expect, test } from 'vitest'
import { type Contract, mayBeEmpty } from '../../../lib/interface/contract.ts'
import { parametersOf, writePath } from '../calls/request-line.ts'
import { BAD_TOKENS, NO_TOKEN } from './bad-tokens.ts'
import { api, expectError, expectInvalid, expectMalformed, tokens, world } from './scene.ts'
import { newIssuer, sign } from './tokens.ts'

/** The path of an operation as it goes out; where no value is given, with the id of nothing. */
export const pathOf = (contract: Contract, values: Record<string, string> = {}): string =>
  writePath(contract, { tenantId: 'nothing', ...values }, (value) => decodeURIComponent(value))

/** With a token that is good for every operation, where it takes one. */
const tokenFor = ({ security }: Contract) => (security === 'none' ? undefined : tokens.rootWithTenants)

const askAs = (contract: Contract, authorization: string | undefined) =>
  api.ask(contract.method, pathOf(contract), {
    ...(contract.body && { body: {} }),
    ...(authorization !== undefined && { headers: { authorization } }),
  })

/** Nobody gets in without a valid token, and nobody is told why. Without any token is another matter where one is optional. */
export const refusesStrangers = (contract: Contract): void => {
  describe('a caller who is not known is refused with 401 and nothing else', () => {
    const refused = { ...BAD_TOKENS, ...(contract.security === 'token' && NO_TOKEN) }
    test.each(Object.entries(refused))('%s', async (_, makeHeader) => {
      expectError(await askAs(contract, await makeHeader(world)), 401)
    })

    test('with a key set that is out of reach it is our failure, not theirs', async () => {
      const token = await sign(world.issuers.unreachable, { role: 'RestRootAgent' })
      const { status } = await askAs(contract, `Bearer ${token}`)
      expect(status).toBeGreaterThanOrEqual(500)
      const { issuer } = world.issuers.unreachable
      const forged = await sign({ ...(await newIssuer('other', 'ES256')), issuer }, {})
      expect((await askAs(contract, `Bearer ${forged}`)).status).toBeGreaterThanOrEqual(500)
    })
  })
}

/** Some of these. */
export const refusesSomeStrangers = (contract: Contract): void => {
  test('a caller who is not known is refused with 401 and nothing else', async () => {
    const headers = [BAD_TOKENS['an expired token'], BAD_TOKENS['the key of somebody else'], BAD_TOKENS['no role']]
    if (contract.security === 'token') headers.push(NO_TOKEN['no header'])
    for (const makeHeader of headers) expectError(await askAs(contract, await makeHeader?.(world)), 401)
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

const NO_ENCODING = ['%', '%zz', '%C3', '%ff%fe', '%ED%A0%80']

const askFor = (contract: Contract, values: Record<string, string>) =>
  api.ask(contract.method, pathOf(contract, values), {
    token: tokenFor(contract),
    ...(contract.body && { body: {} }),
  })

/** A path whose parameter breaks the alphabet of ids is a 400 that names it. */
export const refusesMalformedIds = (contract: Contract, name: string): void => {
  describe(`${name} has 1 to 64 characters of the alphabet of ids, else 400`, () => {
    test.each(Object.entries(NO_IDS))('%s', async (_, id) => {
      expectMalformed(await askFor(contract, { [name]: id }), 'path', [name])
    })

    test.each(NO_ENCODING)('%s is no encoding of UTF-8 at all', async (id) => {
      expect((await askFor(contract, { [name]: id })).status).toBe(400)
    })
  })
}

/** Some of these. What takes the rest of the path is the id of somebody else's system, which may have most characters. */
export const refusesSomeMalformedIds = (contract: Contract): void => {
  test.each(parametersOf(contract))('$name that is none is a 400 that names it', async ({ name, greedy }) => {
    const none = ['a%00b', 'a%0Ab', 'a'.repeat(5000), ...(greedy ? [] : ['a%7Cb', '%40base'])]
    for (const id of none) expectMalformed(await askFor(contract, { [name]: id }), 'path', [name])
    for (const id of ['%zz', '%ff%fe']) expect((await askFor(contract, { [name]: id })).status).toBe(400)
  })
}

/** Its fields are the tenant's own. */
const ANY_FIELDS = 'UpdateIssuanceSession'

const LIMIT = 256 * 1024

const postTo =
  (contract: Contract) =>
  (sent: string | Buffer, contentType: string | undefined = 'application/json') => {
    const token = tokenFor(contract)
    return api.send({
      method: contract.method,
      path: pathOf(contract),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(contentType !== '' && { 'content-type': contentType }),
      },
      body: sent,
    })
  }

/** What is no JSON in UTF-8 of at most 256 KiB is refused before anybody looks at its fields. */
export const refusesUnreadableBodies = (contract: Contract): void => {
  const post = postTo(contract)

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
      '{}\u{FEFF}',
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
      expectError(await post('{}', contentType), 415, { message: 'The content type is not JSON in UTF-8' })
    })

    test.each([
      'application/json; charset=utf-8',
      'application/json; charset=us-ascii',
      'APPLICATION/JSON;charset="UTF-8"',
      'application/ld+json',
    ])('but %s is', async (contentType) => {
      expect((await post('[]', contentType)).status).toBe(422)
    })
  })

  test.each(['"text"', 'null', '7', '0', 'true', 'false', '[]', '"{}"', '""'])(
    'JSON that is no object is a 422: %s',
    async (sent) => {
      expectInvalid(await post(sent), [''])
    },
  )

  test('JSON that is nested without end is a 422', async () => {
    for (const depth of [65, 1000, 10_000, 100_000]) {
      const answer = await post(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
      expect(answer.status).toBe(422)
      expect(answer.body.details[0].message).toBe('must not be nested deeper than 64 levels')
    }
  })

  test(`a body over ${LIMIT} bytes is a 413, whatever it holds and calls itself`, async () => {
    const message = `The body is over ${LIMIT} bytes`
    expectError(await post(`${' '.repeat(LIMIT - 1)}{}`), 413, { message })
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

/** Some of these; and a field that the operation does not know, but for envelopes, which are anybody's. */
export const refusesSomeBodies = (contract: Contract): void => {
  const post = postTo(contract)

  test('a body that can not be read is refused: 400, 413, 415, 422', async () => {
    if (!mayBeEmpty(contract)) expectError(await post(''), 400, { message: 'The body is missing' })
    expectError(await post('{'), 400, { message: 'The body is not JSON' })
    expectError(await post('{}', 'text/plain'), 415, { message: 'The content type is not JSON in UTF-8' })
    expectError(await post('x'.repeat(LIMIT + 1)), 413, { message: `The body is over ${LIMIT} bytes` })
    for (const none of ['[]', 'null', '"{}"']) expectInvalid(await post(none), [''])
  })

  if (contract.security === 'none' || contract.operationId === ANY_FIELDS) return
  test('a field that it does not know is a 422 that names it', async () => {
    const { status, body } = await post('{"noSuchField":1,"nor this":{}}')
    expect(status).toBe(422)
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(['noSuchField', 'nor this']),
    )
  })
}
