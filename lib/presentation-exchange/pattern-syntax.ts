/**
 * Translates regular expressions of ECMAScript (with the flag `u`, as in JSON Schema) to the syntax of RE2. Both find
 * the same texts: whatever RE2 lacks, or reads differently and has no other syntax for, is rejected.
 */
import {
  ANY_BUT_LINE_ENDS,
  type Atom,
  ESCAPE,
  PatternError,
  translateCharacter,
  translateClass,
} from './pattern-characters.ts'

/** Maximum length, in UTF-16 code units. */
export const MAX_PATTERN = 512

/**
 * Maximum number of parts of a pattern, with its repetitions written out: the engine may have to follow all of them at
 * a time.
 */
const MAX_PATTERN_SIZE = 500

const CLASS = '\\[\\^?(?:\\\\[\\s\\S]|[^\\]\\\\])*\\]'
const GROUP = '\\(\\?(?:[:=!]|<[=!]|<[^>]*>)?'
const TOKEN = new RegExp(`${ESCAPE}|${CLASS}|${GROUP}|\\{\\d+(?:,\\d*)?\\}|[\\s\\S]`, 'gu')
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(,)?(\d*)\})$/

/** The pattern in RE2's syntax, without capturing groups, and its size. Throws `PatternError`. */
export const translatePattern = (source: string) => {
  assertSyntax(source)
  /** Of the groups that are open, the whole pattern first. */
  const sizes = [0]
  let [re2, last, quantified] = ['', 0, false]
  const grow = (by: number) => {
    sizes.push((sizes.pop() ?? 0) + by)
  }
  for (const [token] of source.matchAll(TOKEN)) {
    const quantifier = QUANTIFIER.exec(token)
    if (quantifier !== null) {
      // A second one makes the first lazy: that changes which match is found, and not whether there is one.
      if (quantified) continue
      // RE2 reads `{01}` as four characters.
      re2 += token.replace(/\b0+(?=\d)/g, '')
      grow(last * (copies(quantifier) - 1))
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

/** Only parses: V8 compiles an expression when it is first used. */
const assertSyntax = (source: string): void => {
  try {
    new RegExp(source, 'u')
  } catch (cause) {
    throw new PatternError('must be a regular expression of ECMAScript with the flag u', { cause })
  }
}

/** How often a quantifier writes out its part. */
const copies = ([, least = '1', comma, most = '']: RegExpExecArray): number =>
  Math.max(1, Number(comma === undefined || most === '' ? least : most))

const openGroup = (token: string): string => {
  if (/^\(\?<?[=!]$/.test(token)) throw new PatternError('must not look ahead or behind')
  if (token === '(?') throw new PatternError('must not set flags')
  // Only the existence of a match counts, so no group is captured.
  return '(?:'
}

const translateAtom = (token: string): Atom => {
  if (token === '^') return { re2: '\\A', size: 1 }
  if (token === '$') return { re2: '\\z', size: 1 }
  if (token === '.') return ANY_BUT_LINE_ENDS
  return token.startsWith('[') ? translateClass(token) : translateCharacter(token)
}
