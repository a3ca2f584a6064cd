import { describe, expect, test } from 'vitest'
import { JsonLiteral } from '../../../lib/presentation-exchange/claims.ts'
import { parseTenantPath, parseWalletPath, select } from '../../../lib/presentation-exchange/path.ts'
import { Work, WorkLimitError } from '../../../lib/presentation-exchange/work.ts'
import { MAX_LINEAR_MS, processorTime } from '../../support/processor-time.ts'

const at = (text: string, document: unknown, work = new Work()) => {
  const path = parseTenantPath(text)
  if (path === undefined) throw new Error(`not a path: ${text}`)
  return select(path, new JsonLiteral(document), work).selected
}
const valuesAt = (text: string, document: unknown) => at(text, document).map(({ claim }) => claim.value)

describe("a wallet's path", () => {
  test.each([
    '$',
    '$[0]',
    '$.verifiableCredential',
    '$.verifiableCredential[0]',
    "$['verifiableCredential'][3]",
    '$["a b"].c',
    '$.verifiableCredential.0',
    "$['a.b[0]']",
    `$${'.a'.repeat(16)}`,
    `$.${'a'.repeat(254)}`,
  ])('may be %s', (path) => {
    expect(parseWalletPath(path)).toBeDefined()
  })

  test.each([
    ['empty', ''],
    ['without root', 'a'],
    ['a descent', '$..a'],
    ['a descent with brackets', "$..['a']"],
    ['a wildcard', '$.*'],
    ['a wildcard in brackets', '$[*]'],
    ['a slice', '$[0:1]'],
    ['an open slice', '$[:]'],
    ['a union of indexes', '$[0,1]'],
    ['a union of names', "$['a','b']"],
    ['an index from the end', '$[-1]'],
    ['a filter', '$[?(@.a)]'],
    ['a filter that reaches the constructor', "$[?(@.constructor.constructor('return process')())]"],
    ['a script', '$[(@.length-1)]'],
    ['the current node', '$.@'],
    ['a name with an @', "$['@context']"],
    ['the root within', '$.a.$'],
    ['an escape', "$['a\\'b']"],
    ['an unclosed bracket', "$['a"],
    ['a dot before brackets', "$.['a']"],
    ['space around a name', '$. a'],
    ['a line feed at its end', '$.a\n'],
    ['more than 16 steps', `$${'.a'.repeat(17)}`],
    ['more than 16 steps in brackets', `$${'[0]'.repeat(17)}`],
    ['more than 256 characters', `$.${'a'.repeat(255)}`],
    ['what runs for ever elsewhere', `$${'..*'.repeat(136)}`],
  ])('may not be %s', (_, path) => {
    expect(parseWalletPath(path)).toBeUndefined()
  })
})

describe("a tenant's path", () => {
  test.each(['$', '$.a', '$..a', '$.a..b[0].c', '$..*', '$.a[*].b', "$['a','b']", '$[1:2:-1]', '$[-1]', '$[0,0]'])(
    'may be %s',
    (path) => {
      expect(parseTenantPath(path)).toBeDefined()
    },
  )

  test.each(['', 'a', '$..a..b', '$..*..*', '$...a', '$[?(@.a)]', '$[(1)]', '$.a[?@.b]', '$[?true]', '$.a b', '$[01]'])(
    'may not be %s',
    (path) => {
      expect(parseTenantPath(path)).toBeUndefined()
    },
  )
})

describe('a path selects', () => {
  const document = { a: [{ b: 1 }, { b: [2, { b: 3 }] }], c: { b: null }, '0': 'zero', 'x y': '@' }

  test.each<[string, unknown[]]>([
    ['$', [document]],
    ['$.a[0].b', [1]],
    ['$.c.b', [null]],
    ['$.a[1].b[1].b', [3]],
    ["$['x y']", ['@']],
    ['$.0', ['zero']],
    ['$.a.0.b', [1]],
    ['$.a[-1].b[0]', [2]],
    ['$.a[*].b', [1, [2, { b: 3 }]]],
    ['$.a.*.b', [1, [2, { b: 3 }]]],
    ['$..b', [1, [2, { b: 3 }], 3, null]],
    ['$.a..b', [1, [2, { b: 3 }], 3]],
    ["$['c','a'][0].b", [1]],
    ['$.a[0,0].b', [1, 1]],
    ['$.a[1:].b[0]', [2]],
    ['$.missing', []],
    ['$.a.b', []],
    ['$.a[2]', []],
    ['$.a[-3]', []],
    ['$.c[0]', []],
    ['$.c[0:1]', []],
    ['$.c.b.d', []],
    ['$.a[0].b.c', []],
    ["$['x y'].length", []],
    ['$.a.length', []],
  ])('at %s', (path, values) => {
    expect(valuesAt(path, document)).toEqual(values)
  })

  test.each<[string, number[]]>([
    ['$[:]', [0, 1, 2, 3, 4]],
    ['$[1:3]', [1, 2]],
    ['$[-2:]', [3, 4]],
    ['$[:-3]', [0, 1]],
    ['$[::2]', [0, 2, 4]],
    ['$[::-1]', [4, 3, 2, 1, 0]],
    ['$[3:1:-1]', [3, 2]],
    ['$[-1:-3:-1]', [4, 3]],
    ['$[9:]', []],
    ['$[-9:2]', [0, 1]],
    ['$[::0]', []],
  ])('the slice %s', (path, values) => {
    expect(valuesAt(path, [0, 1, 2, 3, 4])).toEqual(values)
  })

  test('what lies below several values in the order of these', () => {
    expect(valuesAt('$[*]..a', [{ a: 1, b: { a: 2 } }, { a: 3 }])).toEqual([1, 2, 3])
  })

  test('with the location of each value, in document order', () => {
    expect(at('$..b', document).map(({ location }) => location.join('/'))).toEqual([
      'a/0/b',
      'a/1/b',
      'a/1/b/1/b',
      'c/b',
    ])
  })

  test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    '%s only where the document has it',
    (name) => {
      expect(valuesAt(`$.${name}`, {})).toEqual([])
      expect(valuesAt(`$.a['${name}']`, { a: [] })).toEqual([])
      expect(valuesAt(`$..${name}`, { a: 'text', b: 1, c: [] })).toEqual([])
      expect(valuesAt(`$.${name}`, JSON.parse(`{"${name}":1}`))).toEqual([1])
    },
  )
})

describe('the work of a path is bounded', () => {
  test('in a deep document', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = { a: deep }
    expect(() => at('$..b', deep, new Work(100_000))).toThrow(WorkLimitError)
  })

  test('in a wide document', () => {
    const wide = Array.from({ length: 50_000 }, () => 0)
    expect(() => at('$[*]', wide)).toThrow(WorkLimitError)
    expect(() => at('$..*', wide)).toThrow(WorkLimitError)
  })

  test('by what it selects, without a descent too', () => {
    const list = Array.from({ length: 101 }, () => 0)
    expect(() => at('$[*]', list, new Work(1_010))).not.toThrow()
    expect(() => at('$[*]', list, new Work(1_009))).toThrow(WorkLimitError)
  })

  test.each(['$[0:999999999]', '$[999999999::-1]', '$[-999999999:]', '$[:-999999999:-1]'])(
    'by the length of the list for the slice %s',
    (path) => {
      const spent = processorTime()
      expect(valuesAt(path, [1])).toEqual([1])
      expect(spent()).toBeLessThan(MAX_LINEAR_MS)
    },
  )

  test('when unions multiply what they select', () => {
    const zeros = Array.from({ length: 100 }, () => 0).join(',')
    expect(() => at(`$[${zeros}][${zeros}][${zeros}]`, [[[1]]])).toThrow(WorkLimitError)
  })

  test('by one budget for all paths', () => {
    const work = new Work(1000)
    const search = () =>
      at(
        '$..a',
        Array.from({ length: 50 }, () => 0),
        work,
      )
    expect(search()).toEqual([])
    expect(search).toThrow(WorkLimitError)
  })

  test('so that a document of 20,000 values can be searched 50 times', () => {
    const work = new Work()
    const large = Array.from({ length: 19_999 }, () => 0)
    for (let times = 0; times < 50; times++) expect(at('$..a', large, work)).toEqual([])
    expect(() => new Work().spend(20_000_001)).toThrow(WorkLimitError)
  })
})
