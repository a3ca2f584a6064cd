/** An arbitrary of requests to every operation: some valid, most of them corrupted somewhere. */
import fc from 'fast-check'
import type { HttpRequest } from '../support/api/http.ts'
import { corrupted, oddName, oddText, oddValue } from '../support/api/odd-values.ts'
import type { Route } from '../support/api/routes.ts'
import type { World } from '../support/api/world.ts'
import { authorizationArbitrary } from './odd-tokens.ts'

/** Characters of a request line (RFC 9112, section 3): others are not HTTP, and the parser rejects them. */
const asPath = (text: string): string =>
  text.replace(/[^\x21-\x7e]/gu, (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : '%ED%A0%80',
  )

const oddSegment = fc.oneof(
  fc.constantFrom('', '.', '..', '%2e%2e', 'a%2Fb', '%00', 'a%00', '%', '%zz', '%C3', '%ff', '%F0%9F%98%80', '@base'),
  fc.constantFrom('a;b', 'a,b', 'a?b', 'a#b', '*', '{id}', '__proto__', 'constructor', 'a'.repeat(64), 'a'.repeat(65)),
  fc.constantFrom('a'.repeat(2000), '%61', 'a%0d%0ab', 'é', '~', ':', '[', '"', "'", '<', '\\'),
  oddText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 1500)),
  oddText.map((text) => asPath(text).slice(0, 1500)),
  fc.uuid(),
)

const oddQuery = (names: string[]) =>
  fc
    .array(
      fc.tuple(
        fc.oneof(fc.constantFrom('limit', 'order', 'cursor', 'limit[]', ...names), oddName),
        fc.oneof(
          fc.constantFrom('0', '1', '1001', '-1', '1e3', 'desc', 'completed', 'AAAA', '%zz', '%00', ''),
          oddText,
        ),
        fc.boolean(),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((pairs) =>
      pairs
        .map(([name, value, raw]) => {
          const encode = raw ? asPath : (text: string) => encodeURIComponent(text.toWellFormed())
          return `${encode(name)}=${encode(value)}`
        })
        .join('&')
        .slice(0, 2000),
    )

const CONTENT_TYPES = [
  'text/plain',
  'application/json; charset=latin1',
  'application/ld+json',
  'application/ssi-agent-wire',
  'application/didcomm-envelope-enc',
  'multipart/form-data; boundary=x',
  '',
  ';',
]

const oddHeader = fc.constantFrom<[string, string]>(
  ['idempotency-key', 'one'],
  ['idempotency-key', 'two'],
  ['idempotency-key', ''],
  ['idempotency-key', 'é'],
  ['idempotency-key', 'x'.repeat(256)],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-host', 'attacker.example'],
  ['host', 'attacker.example'],
  ['x-request-id', 'mine'],
  ['x-amzn-trace-id', 'Root=1-0-0'],
  ['accept', 'text/xml'],
  ['accept-charset', 'utf-16'],
  ['accept-language', 'x'.repeat(2000)],
  ['if-none-match', '*'],
  ['origin', 'null'],
  ['origin', 'https://app.example'],
  ['referer', '\x80\xff'],
  ['cookie', 'a=b'],
  ['sls-offline-authorizer-override', '{"principalId":"me"}'],
)

const oddTextOfBody = fc.record({
  kind: fc.constantFrom('cut', 'insert', 'twice', 'after', 'deep', 'bytes', 'none', 'none', 'none', 'none', 'none'),
  where: fc.nat({ max: 100_000 }),
  name: oddName,
  text: fc.constantFrom('{', '}', '"', ',', ':', '\\u', 'NaN', '1e400', '//', '\u{FEFF}', '\u0000', ' '.repeat(1000)),
})
type OddTextOfBody = typeof oddTextOfBody extends fc.Arbitrary<infer T> ? T : never

/** JSON text corrupted as text: cut, with something inserted, with a name twice, nested too deep, with bytes that are not UTF-8. */
const spoilText = (json: string, { kind, where, name, text }: OddTextOfBody): string | Buffer => {
  const at = where % (json.length + 1)
  if (kind === 'cut') return json.slice(0, at)
  if (kind === 'insert') return json.slice(0, at) + text + json.slice(at)
  if (kind === 'twice') return json.replace('{', `{${JSON.stringify(name)}:1,${JSON.stringify(name)}:{"a":2},`)
  if (kind === 'after') return json + text + json
  if (kind === 'deep') return json.replace(':', `:${'['.repeat(at * 10)}${']'.repeat(at * 10)},"x":`)
  const bytes = Buffer.from([0xff, 0xfe, 0xc3, 0x28])
  return kind === 'bytes' ? Buffer.concat([Buffer.from(json.slice(0, at)), bytes, Buffer.from(json.slice(at))]) : json
}

const bodyArbitrary = (bodies: unknown[]): fc.Arbitrary<string | Buffer> => {
  const valid = fc.constantFrom(...bodies)
  const text = (value: unknown) => JSON.stringify(value) ?? ''
  return fc.oneof(
    { weight: 10, arbitrary: valid.map(text) },
    {
      weight: 16,
      arbitrary: fc
        .tuple(valid.chain((body) => corrupted(body)).map(text), oddTextOfBody)
        .map((of) => spoilText(...of)),
    },
    { weight: 2, arbitrary: fc.tuple(valid.map(text), oddTextOfBody).map((of) => spoilText(...of)) },
    { weight: 2, arbitrary: oddValue.map(text) },
    // Over the limit by a little; the gateway rejects more.
    { weight: 1, arbitrary: valid.map((body) => text(body) + ' '.repeat(256 * 1024)) },
    { weight: 1, arbitrary: fc.constant('') },
  )
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']

const requestTo = (route: Route, world: World): fc.Arbitrary<HttpRequest> => {
  const { method, path, bodies, queries = [''], queryNames = [], headers: usual = {}, token } = route
  const pathArbitrary = fc.oneof(
    { weight: 6, arbitrary: fc.constant(path((valid) => valid)) },
    {
      weight: 3,
      arbitrary: fc.array(oddSegment, { minLength: 2, maxLength: 2 }).map(([one = '', two = '']) => {
        let used = 0
        return path(() => (used++ === 0 ? one : two))
      }),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.boolean(), oddSegment).map(([first, odd]) => {
        let used = 0
        return path((valid) => ((used++ === 0) === first ? odd : valid))
      }),
    },
  )
  const queryArbitrary = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...queries) },
    { weight: queries.length > 1 ? 4 : 1, arbitrary: oddQuery(queryNames) },
  )
  return fc
    .record({
      method: fc.oneof(
        { weight: 40, arbitrary: fc.constant(method) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      path: pathArbitrary,
      query: queryArbitrary,
      authorization: fc.oneof(
        { weight: token === undefined ? 0 : 3, arbitrary: fc.constant(`Bearer ${token}`) },
        { weight: 7, arbitrary: authorizationArbitrary(world) },
      ),
      contentType: fc.oneof(
        { weight: 20, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
      ),
      headers: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(oddHeader, { maxLength: 3 }) },
      ),
      body: bodies === undefined ? fc.constant('') : bodyArbitrary(bodies),
    })
    .map(({ method: verb, path: at, query, authorization, contentType, headers, body }) => ({
      method: verb,
      path: asPath(query === '' ? at : `${at}?${query}`),
      headers: {
        ...usual,
        ...Object.fromEntries(headers),
        ...(authorization !== undefined && { authorization }),
        ...(body.length > 0 && { 'content-type': contentType }),
      },
      // Bodies of GET and the like are not read.
      ...(body.length > 0 && verb !== 'GET' && { body }),
    }))
}

/** Requests to these routes of the world's stage. */
export const requestArbitrary = (world: World, routes: Route[]): fc.Arbitrary<HttpRequest> =>
  fc.oneof(
    ...routes.map((route) => ({
      weight: Math.ceil(route.weight * 10),
      arbitrary: requestTo(route, world),
    })),
  )
