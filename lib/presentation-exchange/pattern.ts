/** Matches patterns that tenants wrote with texts that strangers wrote, on an engine that never backtracks: its time is linear in the text. */
import { RE2JS } from 're2js'
import { Bounded } from '../bounded.ts'
import { PatternError } from './pattern-characters.ts'
import { translatePattern } from './pattern-syntax.ts'
import type { Work } from './work.ts'

/** Longest text that is matched, in UTF-16 code units. */
export const MAX_TEXT = 10_000

interface Pattern {
  size: number
  expression: RE2JS
}

const MAX_COMPILED = 64

const compiled = new Bounded<string, Pattern>(MAX_COMPILED)

/** Throws `PatternError`. A pattern takes a few milliseconds at most. */
export const compilePattern = (source: string): Pattern => {
  const known = compiled.get(source)
  if (known !== undefined) return known
  const { re2, size } = translatePattern(source)
  try {
    return compiled.set(source, { size, expression: RE2JS.compile(re2) })
  } catch (cause) {
    throw new PatternError('must be a regular expression that RE2 takes', { cause })
  }
}

/**
 * Whether the pattern is found anywhere in the text (JSON Schema, `pattern`). Undefined when the text is too long to be matched.
 * Throws `PatternError` and `WorkLimitError`.
 */
export const isFound = (source: string, text: string, work: Work): boolean | undefined => {
  if (text.length > MAX_TEXT) return undefined
  const { size, expression } = compilePattern(source)
  work.spend(size * (text.length + 1))
  // `test` would run on an automaton whose states a hostile text multiplies: four times as slow, and 8 MB that each expression keeps.
  return expression.matcher(text).find()
}
