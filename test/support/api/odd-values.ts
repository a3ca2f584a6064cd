/** Arbitraries of values that break services, and of valid JSON that was corrupted in a few places. */
import fc from 'fast-check'
import type { Json } from '../stage/in-process-stage.ts'

const nested = (depth: number): unknown => {
  let value: Json = []
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const NUMBERS = [0, -0, 1, -1, 0.1, 1e21, 1e308, -1e308, 5e-324, 2 ** 31, -(2 ** 31), 2 ** 53, 2 ** 53 + 2]

const TEXTS = [
  '',
  ' ',
  '0',
  'null',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udc00',
  '\u{FEFF}',
  '\u202e',
  '😀',
  'é',
  'x'.repeat(300),
  'x'.repeat(5000),
  '😀'.repeat(3000),
  '../../../etc/passwd',
  '#{7*7}',
  '{{constructor}}',
  "' OR '1'='1",
  '<script>alert(1)</script>',
  '%00%2F',
  '@base',
  'a|b',
  'a#b',
  'v1',
  'v2',
  'always',
  '1.0',
  '2026-01-01T00:00:00Z',
  '2026-13-45T99:99:99Z',
  'did:peer:2.',
  'did:peer:4zQm',
  'did:peer:0z6Mk',
  'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX',
  'did:key:z',
  'did:web:example.org%3A1:a',
  'did:jwk:e30',
  'did:sov:x',
  'did:::',
  'z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX',
  'https://',
  'https://example.org/',
  'http://127.0.0.1:1/',
  'https://[::1]:99999/',
  'javascript:alert(1)',
  'data:,x',
  // JSONPath and regular expressions: code, and texts that match for ever.
  '$',
  '$..*',
  '$[',
  "$..[?(@.a==='b')]",
  '$[(process.exit(1))]',
  '$..[?(this.constructor.constructor("return process")().exit())]',
  '$.a[0:999999999]',
  `$${'.a'.repeat(500)}`,
  '$..*..*..*',
  '^(a+)+$',
  '(?:a{1000}){1000}',
  '[ab]*a[ab]{490}$',
  '(?=a)',
  '[]',
  '\\p{Script=Greek}',
  '(?<=a)b',
  '[',
  '#/definitions/a',
]

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'length',
  'toJSON',
  'id',
  'type',
  '@type',
  '@id',
  '@context',
  '~thread',
  '$ref',
  '',
  'a.b',
  'a b',
  '\u0000',
  '\ud800',
  'x'.repeat(1000),
]

export const oddText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

export const oddName: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 1, arbitrary: fc.string({ maxLength: 10 }) },
)

export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: oddText },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { a: {} }, ['a', 1, {}]) },
  { weight: 1, arbitrary: fc.constantFrom(20, 63, 64, 65, 66, 200).map(nested) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(101, 1001, 20_000).map((length) => new Array<unknown>(length).fill(0)) },
)

const edit = fc.record({
  kind: fc.constantFrom('drop', 'replace', 'replace', 'replace', 'add', 'rename', 'wrap', 'repeat', 'swap'),
  where: fc.nat({ max: 10_000 }),
  other: fc.nat({ max: 10_000 }),
  name: oddName,
  value: oddValue,
})
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

/** A member of an object or list: where it is, and under what name. */
type Place = [parent: Json, name: string]

const placesIn = (value: Json): Place[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.keys(value).flatMap((name) => [[value, name] as Place, ...placesIn(value[name])])

/** Also for names such as `__proto__`, which plain assignment would not make a member. */
const put = (parent: Json, name: string, value: unknown): void => {
  if (Array.isArray(parent) && name === 'length') parent.push(value)
  else Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true })
}

const apply = (body: Json, { kind, where, other, name, value }: Edit): Json => {
  const places = placesIn(body)
  const place = places[where % Math.max(1, places.length)]
  if (place === undefined) return value
  const [parent, at] = place
  const held = parent[at]
  if (kind === 'drop') delete parent[at]
  if (kind === 'replace') put(parent, at, value)
  if (kind === 'add') put(typeof held === 'object' && held !== null ? held : parent, name, value)
  if (kind === 'wrap') put(parent, at, other % 2 === 0 ? [held] : { [at]: held })
  if (kind === 'repeat') put(parent, at, typeof held === 'string' ? held + held : [held, held].flat())
  if (kind === 'rename') {
    delete parent[at]
    put(parent, name, held)
  }
  if (kind === 'swap') put(parent, at, structuredClone(places[other % places.length]?.[0]))
  return body
}

/** The value with up to `most` of its places corrupted. */
export const corrupted = (value: unknown, most = 3): fc.Arbitrary<unknown> =>
  fc
    .array(edit, { minLength: 1, maxLength: most })
    // Copies: the next corruption may be inside of an earlier one.
    .map((edits) =>
      edits.reduce((body, one) => apply(body, { ...one, value: structuredClone(one.value) }), structuredClone(value)),
    )
