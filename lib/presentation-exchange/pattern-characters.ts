/**
 * Translates characters and classes of patterns from ECMAScript (ECMA-262, section 22.2.1, flag `u`) to the syntax of
 * RE2.
 */

/** A pattern was rejected. The message is the end of a sentence that starts with its path. */
export class PatternError extends Error {}

/** A character or class of a pattern. */
export interface Atom {
  re2: string
  /** Cost of matching: a Unicode class has many ranges. */
  size: number
}

const UNICODE_CLASS_SIZE = 4

type Range = readonly [low: number, high: number]

const toRanges = (...bounds: number[]): Range[] =>
  bounds.flatMap((low, index) => (index % 2 === 0 ? [[low, bounds[index + 1] ?? low] as const] : []))

const LAST = 0x10ffff
const DIGITS = toRanges(0x30, 0x39)
const WORD = toRanges(0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a)
/** WhiteSpace and LineTerminator; RE2's `\s` has six of them. */
const SPACE = [
  ...toRanges(0x9, 0xd, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a),
  ...toRanges(0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff),
]
/** LineTerminator, which `.` does not match. RE2's `.` excludes only the line feed. */
const LINE_ENDS = toRanges(0xa, 0xa, 0xd, 0xd, 0x2028, 0x2029)

const complement = (ranges: readonly Range[]): Range[] => {
  const starts = [0, ...ranges.map(([, high]) => high + 1)]
  const ends = [...ranges.map(([low]) => low - 1), LAST]
  return starts.map((start, index) => [start, ends[index] ?? LAST])
}

const SETS = new Map([
  ['\\d', DIGITS],
  ['\\D', complement(DIGITS)],
  ['\\w', WORD],
  ['\\W', complement(WORD)],
  ['\\s', SPACE],
  ['\\S', complement(SPACE)],
])

const CONTROLS = new Map(Object.entries({ t: 0x9, n: 0xa, v: 0xb, f: 0xc, r: 0xd, 0: 0x0 }))

const BACKSPACE = 0x8

const HEX = '[0-9A-Fa-f]'

/** Source of an expression for escapes. The two escapes of a surrogate pair count as one. */
export const ESCAPE = [
  '\\\\[pP]\\{[^}]*\\}',
  `\\\\u[Dd][89ABab]${HEX}{2}\\\\u[Dd][C-Fc-f]${HEX}{2}`,
  `\\\\u(?:\\{${HEX}+\\}|${HEX}{4})`,
  `\\\\x${HEX}{2}`,
  '\\\\c[A-Za-z]',
  '\\\\[\\s\\S]',
].join('|')

const CLASS_ITEM = new RegExp(`${ESCAPE}|[\\s\\S]`, 'gu')

/** General categories: their tables are the same in ECMAScript and RE2. */
const UNICODE_CLASS = /^\\[pP]\{[CLMNPSZ][a-z]?\}$/

const one = (point: number): string => `\\x{${point.toString(16)}}`
const many = (ranges: readonly Range[]): string => ranges.map(([low, high]) => `${one(low)}-${one(high)}`).join('')

export const ANY_BUT_LINE_ENDS: Atom = { re2: `[^${many(LINE_ENDS)}]`, size: 1 }

/** Translates a character or an escape outside of brackets. Throws `PatternError`. */
export const translateCharacter = (token: string): Atom => {
  if (token === '\\b') return { re2: token, size: 1 }
  // V8 also finds it between the two code units of a character, other than ECMA-262 and RE2.
  if (token === '\\B') throw new PatternError('must not use \\B')
  if (/^\\[k1-9]$/.test(token)) throw new PatternError('must not refer back to a group')
  if (isUnicodeClass(token)) return { re2: token, size: UNICODE_CLASS_SIZE }
  const set = SETS.get(token)
  return { re2: set === undefined ? one(pointOf(token)) : `[${many(set)}]`, size: 1 }
}

/** Translates a class in brackets. Throws `PatternError`. */
export const translateClass = (text: string): Atom => {
  const [, not = '', content = ''] = /^\[(\^?)(.*)\]$/su.exec(text) ?? []
  const items = [...content.matchAll(CLASS_ITEM)].map(([item]) => item)
  if (items.length === 0) throw new PatternError('must not have an empty class')
  let re2 = ''
  for (let index = 0; index < items.length; index++) {
    const [item = '', dash, end] = items.slice(index, index + 3)
    const set = SETS.get(item)
    if (isUnicodeClass(item)) re2 += item
    else if (set !== undefined) re2 += many(set)
    else if (dash === '-' && end !== undefined) {
      re2 += many([[pointInClass(item), pointInClass(end)]])
      index += 2
    } else re2 += one(pointInClass(item))
  }
  return { re2: `[${not}${re2}]`, size: items.some(isUnicodeClass) ? UNICODE_CLASS_SIZE : 1 }
}

const isUnicodeClass = (token: string): boolean => {
  if (!/^\\[pP]/.test(token)) return false
  if (UNICODE_CLASS.test(token)) return true
  throw new PatternError('must name Unicode classes by general category, such as \\p{L}')
}

const pointInClass = (token: string): number => (token === '\\b' ? BACKSPACE : pointOf(token))

/** The code point of a plain or escaped character. */
const pointOf = (token: string): number => {
  const point = (token.startsWith('\\') ? escapedPoint(token) : token.codePointAt(0)) ?? 0
  if (point >= 0xd800 && point <= 0xdfff) throw new PatternError('must not name half of a surrogate pair')
  return point
}

const escapedPoint = (token: string): number | undefined => {
  const [, kind = '', rest = ''] = /^\\(.)(.*)$/su.exec(token) ?? []
  if (rest === '') return CONTROLS.get(kind) ?? kind.codePointAt(0)
  if (kind === 'c') return rest.charCodeAt(0) % 32
  const [high = 0, low] = (rest.match(/[0-9A-Fa-f]+/g) ?? []).map((digits) => Number.parseInt(digits, 16))
  return low === undefined ? high : String.fromCharCode(high, low).codePointAt(0)
}
