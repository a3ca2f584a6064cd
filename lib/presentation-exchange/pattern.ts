/**
 * Matches patterns with RE2, which never backtracks: third parties write the texts, and its time is linear in their
 * length.
 */
import { RE2JS } from 're2js'
import { Bounded } from '../bounded.ts'
import { PatternError } from './pattern-characters.ts'
import { translatePattern } from './pattern-syntax.ts'
import type { Work } from './work.ts'

/** In UTF-16 code units. */
const MAX_TEXT = 10_000

interface Pattern {
  size: number
  expression: RE2JS
}

const compiled = new Bounded<string, Pattern>(64)

/** Compiles a pattern, in a few milliseconds at most. Throws `PatternError`. */
export const compilePattern = (source: string): Pattern => {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const { re2, size } = translatePattern(source)
  try {
    return compiled.set(source, { size, expression: RE2JS.compile(re2) })
  } catch (cause) {
    throw new PatternError('must be a regular expression that RE2 supports', { cause })
  }
}

/**
 * Whether the text contains a match (JSON Schema, `pattern`). Undefined if the text is too long. Throws `PatternError`
 * and `WorkLimitError`.
 */
export const isFound = (source: string, text: string, work: Work): boolean | undefined => {
  if (text.length > MAX_TEXT) return undefined
  const { size, expression } = compilePattern(source)
  work.spend(size * (text.length + 1))
  // `test` uses an automaton whose states a hostile text multiplies: it takes four times as long, and each expression
  // keeps 8 MB.
  return expression.matcher(text).find()
}
