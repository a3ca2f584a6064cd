/**
 * Rewrites a regular expression of ECMAScript (with the flag `u`, as JSON Schema and the wallets read patterns) in the syntax of RE2, so
 * that both find the same texts. What RE2 lacks, and what it would read differently, is refused and never changed silently.
 */

/** Longest pattern, in UTF-16 code units. */
export const MAX_PATTERN = 512

/** The parts of a pattern, once its repetitions are written out, that an evaluation may have to follow at the same time. */
export const MAX_PATTERN_SIZE = 500

/** A part of a Unicode class is many ranges, and costs more to follow. */
const UNICODE_CLASS_SIZE = 4

export interface Translation {
  /** In the syntax of RE2; without capturing groups. */
  re2: string
  /** At most `MAX_PATTERN_SIZE`. */
  size: number
}

/** Why a pattern is refused, as the end of a sentence that starts with its path. */
export class PatternError extends Error {}

type Range = readonly [low: number, high: number]

const LAST = 0x10ffff
const DIGITS: Range[] = [[0x30, 0x39]]
const WORD: Range[] = [...DIGITS, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
/** ECMA-262, WhiteSpace and LineTerminator; RE2's `\s` has six of them. */
const SPACE: Range[] = [
  ...([
    [0x9, 0xd],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
  ] as const),
  ...([
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const),
]
/** ECMA-262, LineTerminator: what `.` does not stand for. RE2's `.` excludes the line feed alone. */
const LINE_ENDS: Range[] = [
  [0xa, 0xa],
  [0xd, 0xd],
  [0x2028, 0x2029],
]

const complement = (ranges: readonly Range[]): Range[] => {
  const starts = [0, ...ranges.map(([, high]) => high + 1)]
  const ends = [...ranges.map(([low]) => low - 1), LAST]
  return starts.map((start, index) => [start, ends[index] ?? LAST])
}

const CLASSES: Record<string, Range[]> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
}

const CONTROLS: Record<string, number> = { t: 0x9, n: 0xa, v: 0xb, f: 0xc, r: 0xd, 0: 0x0 }

const code = (point: number): string => `\\x{${point.toString(16)}}`
const ranges = (all: readonly Range[]): string => all.map(([low, high]) => `${code(low)}-${code(high)}`).join('')

const HEX = '[0-9A-Fa-f]'
const ESCAPE = [
  '\\\\[pP]\\{[^}]*\\}',
  `\\\\u[Dd][89ABab]${HEX}{2}\\\\u[Dd][C-Fc-f]${HEX}{2}`,
  `\\\\u(?:\\{${HEX}+\\}|${HEX}{4})`,
  `\\\\x${HEX}{2}`,
  '\\\\c[A-Za-z]',
  '\\\\[\\s\\S]',
].join('|')
const CLASS = '\\[\\^?(?:\\\\[\\s\\S]|[^\\]\\\\])*\\]'
const GROUP = '\\(\\?(?:[:=!]|<[=!]|<[^>]*>)?'
const TOKEN = new RegExp(`${ESCAPE}|${CLASS}|${GROUP}|\\{\\d+(?:,\\d*)?\\}|[\\s\\S]`, 'gu')
const CLASS_ITEM = new RegExp(`${ESCAPE}|[\\s\\S]`, 'gu')

const UNICODE_CLASS = /^\\([pP])\{([CLMNPSZ][a-z]?)\}$/

const tokens = (pattern: RegExp, text: string): string[] => [...text.matchAll(pattern)].map(([token]) => token)

/** The code point that a character or an escaped one stands for. */
const pointOf = (token: string): number => {
  const point = escapedPoint(token) ?? token.codePointAt(0) ?? 0
  if (point >= 0xd800 && point <= 0xdfff) throw new PatternError('must not name half of a surrogate pair')
  return point
}

const escapedPoint = (token: string): number | undefined => {
  if (!token.startsWith('\\')) return undefined
  const [, kind = '', rest = ''] = /^\\(.)(.*)$/su.exec(token) ?? []
  if (rest === '') return CONTROLS[kind] ?? kind.codePointAt(0)
  if (kind === 'c') return rest.charCodeAt(0) % 32
  const [high = 0, low] = (rest.match(/[0-9A-Fa-f]{2,}/g) ?? []).map((digits) => Number.parseInt(digits, 16))
  return low === undefined ? high : String.fromCharCode(high, low).codePointAt(0)
}

/** A Unicode class as RE2 has it: the general categories are the same in both, tables included. */
const unicodeClass = (token: string): string => {
  if (!UNICODE_CLASS.test(token))
    throw new PatternError('must name Unicode classes by general category, such as \\p{L}')
  return token
}

/** What stands for a set of characters outside and inside brackets; undefined for what stands for one. */
const setOf = (token: string): string | undefined => {
  if (/^\\[pP]/.test(token)) return unicodeClass(token)
  const set = token.startsWith('\\') && token.length === 2 ? CLASSES[token.slice(1)] : undefined
  return set && ranges(set)
}

const translateClass = (text: string): { re2: string; size: number } => {
  const [, not = '', content = ''] = /^\[(\^?)(.*)\]$/su.exec(text) ?? []
  const items = tokens(CLASS_ITEM, content)
  if (items.length === 0) throw new PatternError('must not have an empty class')
  let re2 = ''
  for (let index = 0; index < items.length; index++) {
    const [item = '', dash, end] = items.slice(index, index + 3)
    const set = setOf(item)
    const low = item === '\\b' ? 0x8 : pointOf(item)
    if (set === undefined && dash === '-' && end !== undefined) {
      re2 += ranges([[low, end === '\\b' ? 0x8 : pointOf(end)]])
      index += 2
    } else re2 += set ?? code(low)
  }
  return { re2: `[${not}${re2}]`, size: /\\[pP]\{/.test(re2) ? UNICODE_CLASS_SIZE : 1 }
}

const translateEscape = (token: string): { re2: string; size: number } => {
  if (token === '\\b') return { re2: token, size: 1 }
  // V8 also finds one inside a character of two code units, which ECMA-262 and RE2 do not.
  if (token === '\\B') throw new PatternError('must not use \\B')
  if (/^\\[k1-9]$/.test(token)) throw new PatternError('must not refer back to a group')
  const set = setOf(token)
  if (set === undefined) return { re2: code(pointOf(token)), size: 1 }
  return set.startsWith('\\p') || set.startsWith('\\P')
    ? { re2: set, size: UNICODE_CLASS_SIZE }
    : { re2: `[${set}]`, size: 1 }
}

const translateAtom = (token: string): { re2: string; size: number } => {
  if (token === '^') return { re2: '\\A', size: 1 }
  if (token === '$') return { re2: '\\z', size: 1 }
  if (token === '.') return { re2: `[^${ranges(LINE_ENDS)}]`, size: 1 }
  if (token.startsWith('[')) return translateClass(token)
  return token.startsWith('\\') ? translateEscape(token) : { re2: code(pointOf(token)), size: 1 }
}

const openGroup = (token: string): string => {
  if (/^\(\?<?[=!]$/.test(token)) throw new PatternError('must not look ahead or behind')
  if (token === '(?') throw new PatternError('must not set flags')
  // Only whether there is a match counts, so no group needs to be captured.
  return '(?:'
}

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,)?(\d*)\})$/

/** How often what is repeated has to be written out. */
const copies = ([, least = '1', comma, most = '']: RegExpExecArray): number =>
  Math.max(1, Number(comma === undefined || most === '' ? least : most))

/** Throws `PatternError`. */
export const translatePattern = (source: string): Translation => {
  assertSyntax(source)
  const sizes = [0]
  let [re2, last, quantified] = ['', 0, false]
  const grow = (by: number) => {
    sizes.push((sizes.pop() ?? 0) + by)
  }
  for (const token of tokens(TOKEN, source)) {
    const quantifier = QUANTIFIER.exec(token)
    if (quantifier !== null) {
      // A second one makes the first lazy: that changes which match is found, and not whether there is one.
      if (quantified) continue
      grow(last * (copies(quantifier) - 1))
      re2 += token
    } else if (token.startsWith('(')) {
      re2 += openGroup(token)
      sizes.push(1)
    } else if (token === ')') {
      re2 += token
      last = sizes.pop() ?? 0
      grow(last)
    } else if (token === '|') re2 += token
    else {
      const atom = translateAtom(token)
      re2 += atom.re2
      last = atom.size
      grow(last)
    }
    quantified = quantifier !== null
  }
  const [size = 0] = sizes
  if (size > MAX_PATTERN_SIZE)
    throw new PatternError(`must have at most ${MAX_PATTERN_SIZE} parts once its repetitions are written out`)
  return { re2, size }
}

const assertSyntax = (source: string): void => {
  try {
    new RegExp(source, 'u')
  } catch (cause) {
    throw new PatternError('must be a regular expression of ECMAScript with the flag u', { cause })
  }
}
