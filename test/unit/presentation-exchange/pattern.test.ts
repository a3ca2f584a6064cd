import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFound } from '../../../lib/presentation-exchange/pattern.ts'
import { PatternError } from '../../../lib/presentation-exchange/pattern-characters.ts'
import { translatePattern } from '../../../lib/presentation-exchange/pattern-syntax.ts'
import { Work, WorkLimitError } from '../../../lib/presentation-exchange/work.ts'
import { MAX_LINEAR_MS, processorTime } from '../../support/processor-time.ts'

/** In characters. */
const MAX_TEXT = 10_000

const found = (pattern: string, text: string) => isFound(pattern, text, new Work())
const rejection = (pattern: string): string | undefined => {
  try {
    translatePattern(pattern)
    return undefined
  } catch (error) {
    return error instanceof PatternError ? error.message : 'another error'
  }
}
const cpuMs = (act: () => unknown): number => {
  const spent = processorTime()
  act()
  return spent()
}

const TEXTS = [
  ...['', 'a', 'A', 'ab', 'aab', 'b', 'abc', 'a b', 'a-b', 'a.b', 'a/b', 'a\\b', '0', '42', '_', '-', ']', '[', '\n'],
  ...['\r', 'a\n', 'a\nb', '\t', '\v', '\u00a0', '\u2028', '\u2029', '\ufeff', '\u3000', '\u0000', '\b', '\u0085'],
  ...['é', 'É', 'e\u0301', 'ß', 'Ω', '中', '😀', '😀😀', 'x😀y', '\u{10ffff}', 'ﬁ', 'K', '٣', '²', '2026-01-31'],
  ...['did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX', 'ada@example.org', '+49 30 1234', 'https://a.org/b'],
]

/** Separated by spaces. */
const COMMON = [
  String.raw`^a$ a ^$ . ^.$ ^..$ .* ^.*$ a|b ^(a|b)+$ (?:ab)?c (?<year>\d{4})-\d\d a{2} a{1,2}b (?:) (|a)b ^a|b$`,
  String.raw`\d \D ^\D$ \w \W ^\W+$ \s ^\s$ \S ^\S+$ \ba\b a\b [\s\S] [\d\-] [^\s] [^\S] [\D\d] [\w.]+@ \/ \. \\ \[ \]`,
  String.raw`[\]] [[] [a-z] [^a-z] [-a] [a-] [a-b-c] [--a] [.] [$^] [(?:] [{3}] [|] [\\] [À-ÿ] [^\n] [\b] [\x00-\x1f]`,
  String.raw`\u0041 \u{1F600} ^\u{1F600}$ \uD83D\uDE00 [\u{1F600}-\u{1F64F}] [\uD83D\uDE00] \x41 \cJ \cj \0 \t \n \v \f \r`,
  String.raw`\p{L} \P{L} ^\p{Lu} [\p{L}\p{M}]+ [^\p{L}] [\P{L}\d] \p{N} \p{Nd} \p{Zs} \p{Sc} \p{C} \p{Cn}`,
  'a*?b a+? a?? a{1,}? a{0}b ^a{01}$ ^a{00}b a{01,02}b ^a{0,01}$ a{010} (a*)* (a|ab)(c|bcd)? ^did:key:z[1-9A-HJ-NP-Za-km-z]{40,60}$',
  String.raw`^[\p{L}'-]+$ ^https?:\/\/[^/]+(?:\/.*)?$ ^\+?[0-9\s]{5,15}$ ^\d{4}-(0[1-9]|1[0-2])-\d{2}$`,
].flatMap((patterns) => patterns.split(' '))

test.each(COMMON)('/%s/ finds what it finds in ECMAScript', (pattern) => {
  const expected = TEXTS.filter((text) => new RegExp(pattern, 'u').test(text))
  expect(TEXTS.filter((text) => found(pattern, text))).toEqual(expected)
})

test('generated patterns that are accepted match the same as in ECMAScript', () => {
  const character = fc.constantFrom(...'abAB09_-. \\/^$|()[]{}*+?:<>=!,😀é\n')
  const escaped = fc.constantFrom(
    ...String.raw`\d \D \w \W \s \S \b \B \n \u0061 \u{61} \x61 \. \- \] \[ \p{L} \P{Lu} \0 \cA \/ \^ \1`.split(' '),
    ...String.raw`\uD83D\uDE00 \uD83D a-z [^ (?: (?<n> (?= {2} {1,3} {2,}`.split(' '),
  )
  const pattern = fc.array(fc.oneof(character, escaped), { maxLength: 8 }).map((parts) => parts.join(''))
  let compared = 0
  fc.assert(
    fc.property(pattern, fc.string({ unit: character, maxLength: 6 }), (source, text) => {
      if (rejection(source) !== undefined) return
      compared += 1
      expect(found(source, text)).toBe(new RegExp(source, 'u').test(text))
    }),
    { numRuns: 5000 },
  )
  expect(compared).toBeGreaterThan(500)
})

const CATEGORIES = ['L', 'Lu', 'M', 'N', 'P', 'S', 'Z', 'C', 'Cn'].map((category) => `\\p{${category}}`)

test.each([...CATEGORIES, '\\d', '\\w', '\\s', '.'])('%s is the same class as in ECMAScript', (source) => {
  const pattern = `^${source}$`
  const native = new RegExp(pattern, 'u')
  const differing: string[] = []
  for (let point = 0; point <= 0x10ffff; point += point < 0x3000 ? 1 : 37) {
    const text = String.fromCodePoint(point)
    if (text.isWellFormed() && found(pattern, text) !== native.test(text)) differing.push(point.toString(16))
  }
  expect(differing).toEqual([])
})

test.each([
  ['(', 'must be a regular expression of ECMAScript with the flag u'],
  ['a{', 'must be a regular expression of ECMAScript with the flag u'],
  ['\\-', 'must be a regular expression of ECMAScript with the flag u'],
  ['\\A', 'must be a regular expression of ECMAScript with the flag u'],
  ['[[:alpha:]]', 'must be a regular expression of ECMAScript with the flag u'],
  ['\\Ba', 'must not use \\B'],
  ['(?=a)', 'must not look ahead or behind'],
  ['(?!a)', 'must not look ahead or behind'],
  ['(?<=a)b', 'must not look ahead or behind'],
  ['(?<!a)b', 'must not look ahead or behind'],
  ['(a)\\1', 'must not refer back to a group'],
  ['(?<n>a)\\k<n>', 'must not refer back to a group'],
  ['(?i:a)', 'must not set flags'],
  ['(?-i:a)', 'must not set flags'],
  ['[]', 'must not have an empty class'],
  ['[^]', 'must not have an empty class'],
  ['\\p{Script=Greek}', 'must name Unicode classes by general category, such as \\p{L}'],
  ['[\\p{Alphabetic}]', 'must name Unicode classes by general category, such as \\p{L}'],
  ['\\uD800', 'must not name half of a surrogate pair'],
  ['\\uDFFF', 'must not name half of a surrogate pair'],
  ['[\\uD800-\\uDFFF]', 'must not name half of a surrogate pair'],
])('/%s/ is rejected: it %s', (pattern, message) => {
  expect(rejection(pattern)).toBe(message)
})

describe('the size of a pattern is bounded', () => {
  test.each([
    'x{501}',
    'x{1000}',
    'x{0,501}',
    '(?:x{1000}){1000}',
    '(a{1000}){1000}',
    '((a{10}){10}){10}',
    '(?:(?:(?:(?:(?:){1000}){1000}){1000}){1000}){1000}',
    'a{999999999}',
    `(?:${'a'.repeat(500)}){1000}`,
    `(?:${'\\p{L}'.repeat(90)}){1000}`,
    'a{400}b{400}',
  ])('%s is rejected', (pattern) => {
    let message: string | undefined
    const ms = cpuMs(() => {
      message = rejection(pattern)
    })
    expect(message).toContain(`at most 500 parts`)
    expect(ms).toBeLessThan(MAX_LINEAR_MS)
  })

  test.each([
    ['a{500}', 500],
    ['a{2,}', 2],
    ['a{0}', 1],
    ['(?:ab){3}', 9],
    ['\\p{L}{10}', 40],
    ['[\\p{L}-]{10}', 40],
    ['a*b+c?', 3],
  ])('%s has the size %i', (pattern, size) => {
    expect(translatePattern(pattern).size).toBe(size)
  })
})

describe('no text makes a pattern run for long', () => {
  const half = 'ab'.repeat(MAX_TEXT / 2)

  test.each([
    '(a+)+$',
    '(a|a)*$',
    '^(a|aa)+$',
    '(.*a){20}$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a|b)*a(a|b){100}$',
    '[ab]*a[ab]{490}$',
    '(?:a?){160}a{160}$',
    '\\p{L}{120}1',
    '([a-zA-Z0-9._-]+)+@',
  ])('/%s/', (pattern) => {
    const texts = [half, `${'a'.repeat(MAX_TEXT - 1)}!`, 'x'.repeat(MAX_TEXT)]
    expect(cpuMs(() => texts.map((text) => found(pattern, text)))).toBeLessThan(MAX_LINEAR_MS)
  })

  test('the work of matching counts', () => {
    expect(() => isFound('a{500}', half, new Work(1_000_000))).toThrow(WorkLimitError)
    expect(() => isFound('a{500}', '', new Work(499))).toThrow(WorkLimitError)
  })
})

test('a text over 10,000 characters is not matched', () => {
  expect(found('a', 'a'.repeat(MAX_TEXT))).toBe(true)
  expect(found('a', 'a'.repeat(MAX_TEXT + 1))).toBeUndefined()
})
