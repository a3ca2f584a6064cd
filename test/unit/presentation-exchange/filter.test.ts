import { describe, expect, test } from 'vitest'
import type { Filter } from '../../../lib/presentation-exchange/definition-schema.ts'
import { matchesFilter } from '../../../lib/presentation-exchange/filter.ts'
import { FORMATS } from '../../../lib/presentation-exchange/formats.ts'
import { Work, WorkLimitError } from '../../../lib/presentation-exchange/work.ts'

/** Of a value in its signed form. */
const takes = (filter: Filter, value: unknown, work = new Work()) =>
  matchesFilter(filter, { kind: 'json', value }, work)

/** A filter of one keyword, a value that it accepts and one that it rejects. */
const KEYWORDS: [Filter, unknown, unknown][] = [
  [{ type: 'string' }, 'a', 1],
  [{ type: 'number' }, 1.5, '1.5'],
  [{ type: 'integer' }, 2, 2.5],
  [{ type: 'integer' }, 2, '2'],
  [{ type: 'boolean' }, false, 0],
  [{ type: 'array' }, [], {}],
  [{ type: 'object' }, {}, []],
  [{ type: 'object' }, {}, null],
  [{ type: 'null' }, null, 'null'],
  [{ const: 'a' }, 'a', 'A'],
  [{ const: 1 }, 1, '1'],
  [{ const: true }, true, 1],
  [{ const: 'a' }, 'a', ['a']],
  [{ enum: ['a', 1] }, 1, '1'],
  [{ pattern: '^a+$' }, 'aa', 'ab'],
  [{ pattern: 'b' }, 'abc', 'ac'],
  [{ minLength: 2 }, '😀😀', '😀'],
  [{ maxLength: 2 }, '😀😀', 'abc'],
  [{ minimum: 18 }, 18, 17.9],
  [{ maximum: 18 }, 18, 18.1],
  [{ exclusiveMinimum: 18 }, 18.1, 18],
  [{ exclusiveMaximum: 18 }, 17.9, 18],
  [{ minimum: '2000-01-01' }, '2000-01-01', '1999-12-31'],
  [{ maximum: '2000-01-01' }, '2000-01-01', '2000-01-02'],
  [{ exclusiveMinimum: '2000-01-01' }, '2000-01-02', '2000-01-01'],
  [{ exclusiveMaximum: '2000-01-01' }, '1999-12-31', '2000-01-01'],
  [{ minimum: '2000-01-01T00:00:00Z' }, '2000-01-01T01:00:00+01:00', '2000-01-01T00:59:59+01:00'],
  [{ format: 'date', formatMinimum: '2000-01-01' }, '2000-01-01', '1999-12-31'],
  [{ format: 'date', formatMaximum: '2000-01-01' }, '2000-01-01', '2000-01-02'],
  [{ format: 'date', formatExclusiveMinimum: '2000-01-01' }, '2000-01-02', '2000-01-01'],
  [{ format: 'date', formatExclusiveMaximum: '2000-01-01' }, '1999-12-31', '2000-01-01'],
  [{ contains: { const: 'a' } }, ['b', 'a'], ['b']],
  [{ contains: { const: 'a' } }, ['a'], []],
  [{ items: { type: 'string' } }, ['a', 'b'], ['a', 1]],
  [{ not: { const: 'a' } }, 'b', 'a'],
  [{ not: { type: 'string' } }, 1, 'a'],
  [{ not: { not: { const: 'a' } } }, 'a', 'b'],
  [{ type: 'string', minLength: 2 }, 'ab', 'a'],
]

test.each(KEYWORDS)('%j accepts %j and rejects %j', (filter, right, wrong) => {
  expect(takes(filter, right)).toBe(true)
  expect(takes(filter, wrong)).toBe(false)
})

test('an empty filter takes everything', () => {
  expect([null, 1, 'a', [], {}].every((value) => takes({}, value))).toBe(true)
})

describe('a keyword that does not apply to the type of a value', () => {
  const INAPPLICABLE: [Filter, unknown][] = [
    [{ pattern: 'a' }, 1],
    [{ pattern: 'a' }, ['a']],
    [{ minLength: 0 }, 1],
    [{ maxLength: 9 }, null],
    [{ format: 'date' }, 20000101],
    [{ minimum: 18 }, '99'],
    [{ minimum: 18 }, true],
    [{ maximum: '2000-01-01' }, 1],
    [{ maximum: '2000-01-01' }, 'yesterday'],
    [{ maximum: '2000-01-01' }, '1999-02-30'],
    [{ contains: { const: 'a' } }, 'a'],
    [{ items: { const: 'a' } }, 'a'],
    [{ items: { minimum: 1 } }, [1, 'a']],
    [{ contains: { minimum: 1 } }, ['a']],
  ]

  test.each(INAPPLICABLE)('%j is not met by %j, and neither is its negation', (filter, value) => {
    expect(takes(filter, value)).toBe(false)
    expect(takes({ not: filter }, value)).toBe(false)
  })

  test('does not matter beside one that decides', () => {
    expect(takes({ not: { type: 'string', pattern: 'a' } }, 1)).toBe(true)
    expect(takes({ contains: { minimum: 1 } }, ['a', 2])).toBe(true)
  })
})

test('a text too long for a pattern matches neither the pattern nor its negation', () => {
  const long = 'a'.repeat(10_001)
  expect(takes({ pattern: 'a' }, long)).toBe(false)
  expect(takes({ not: { pattern: 'b' } }, long)).toBe(false)
})

test.each(['allOf', 'properties', '$ref', '__proto__', 'constructor', 'toString'])(
  'an unknown keyword takes nothing: %s',
  (keyword) => {
    const filter = JSON.parse(`{"type":"string","${keyword}":{}}`)
    expect(takes(filter, 'a')).toBe(false)
    expect(takes({ not: filter }, 'a')).toBe(false)
  },
)

describe('formats', () => {
  const EXAMPLES: Record<string, [right: string[], wrong: string[]]> = {
    date: [
      ['2026-01-31', '2024-02-29', '0001-01-01'],
      ['2026-1-31', '2023-02-29', '2026-13-01', '2026-01-31T00:00:00Z', '20260131', '2026/01/31', ' 2026-01-31', ''],
    ],
    'date-time': [
      ['2026-01-31T23:59:59Z', '2026-01-31T00:00:00.123456789+14:00'],
      ['2026-01-31', '2026-01-31T24:00:00Z', '2026-01-31T00:00:00', '2026-02-30T00:00:00Z', '2026-01-31 00:00:00Z'],
    ],
    time: [
      ['00:00:00Z', '23:59:59.9-01:00'],
      ['24:00:00Z', '00:00:00', '00:00Z', '00:00:60Z'],
    ],
    email: [
      ['ada@example.org', 'a.b+c@sub.example.org', 'ada@localhost'],
      [
        'ada',
        '@example.org',
        'ada@',
        'a..b@example.org',
        '.a@example.org',
        'a b@example.org',
        'a@b@',
        'a@-b.org',
        `${'a'.repeat(65)}@b.org`,
      ],
    ],
    hostname: [
      ['example.org', 'a', 'xn--bcher-kva.example', '1.example', `${'a.'.repeat(126)}a`],
      ['', '.', 'a..b', '-a', 'a-', 'a_b', 'exämple.org', 'a.', `${'a'.repeat(64)}.org`, `${'a.'.repeat(126)}ab`],
    ],
    ipv4: [
      ['127.0.0.1', '255.255.255.255'],
      ['256.0.0.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '0x7f.0.0.1', '1.2.3.4 '],
    ],
    ipv6: [
      ['::1', '2001:db8::8:800:200c:417a', '::ffff:1.2.3.4'],
      [':::', '1::2::3', 'fe80::1%eth0', '12345::', '127.0.0.1', '[::1]'],
    ],
    uri: [
      ['https://example.org/a?b#c', 'urn:uuid:1', 'did:key:z6Mk', 'mailto:ada@example.org'],
      [
        '',
        'example.org',
        '/a',
        '//example.org',
        'https://exa mple.org',
        'http://[::1',
        'urn:ä',
        'a:%zz',
        'https://a/<b>',
      ],
    ],
    uuid: [
      ['d734a876-e3ca-478c-901f-b447ad6b579f', 'D734A876-E3CA-478C-901F-B447AD6B579F'],
      [
        'd734a876e3ca478c901fb447ad6b579f',
        'd734a876-e3ca-478c-901f-b447ad6b579',
        '{d734a876-e3ca-478c-901f-b447ad6b579f}',
      ],
    ],
  }

  test.each(Object.entries(EXAMPLES))('%s', (name, [right, wrong]) => {
    const filter: Filter = JSON.parse(JSON.stringify({ format: name }))
    expect(right.filter((text) => !takes(filter, text))).toEqual([])
    expect(wrong.filter((text) => takes(filter, text))).toEqual([])
  })

  test('are these, and no other', () => {
    expect([...FORMATS].sort()).toEqual(Object.keys(EXAMPLES).sort())
    for (const format of ['regex', 'toString', '__proto__', 'constructor', ''])
      expect(takes(JSON.parse(JSON.stringify({ format })), 'a')).toBe(false)
  })
})

test('the work of a filter is bounded', () => {
  const large = Array.from({ length: 5000 }, () => Array.from({ length: 50 }, () => 'a'))
  const filter: Filter = { contains: { contains: { const: 'b' } } }
  expect(takes(filter, large)).toBe(false)
  expect(() => takes(filter, large, new Work(100_000))).toThrow(WorkLimitError)
})

test.each<[keyof Filter, Filter]>([
  ['minLength', { minLength: 1 }],
  ['maxLength', { maxLength: 1 }],
  ['format', { format: 'uri' }],
  ['enum', { enum: Array.from({ length: 50_000 }, (_, index) => index) }],
])('the work of %s grows with what is compared', (_, filter) => {
  expect(() => takes(filter, 'a'.repeat(50_000), new Work(20_000))).toThrow(WorkLimitError)
  expect(() => takes(filter, 'a'.repeat(50_000), new Work(100_000))).not.toThrow()
})
