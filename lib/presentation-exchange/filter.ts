/** Filters of DIF Presentation Exchange: JSON Schema of a closed list of keywords, interpreted. Nothing is compiled to code. */
import { toInstant } from '../rfc3339.ts'
import { type Format, hasFormat } from './formats.ts'
import { isFound } from './pattern.ts'
import { VISIT, type Work } from './work.ts'

type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/**
 * The keywords that Credo's engine takes. Version 1 has neither `contains` and `items` nor `format...`; in version 2 `minimum` and its like
 * are numbers. A text bound is a date, or a date and time (RFC 3339).
 */
export interface Filter {
  type?: TypeName | undefined
  const?: string | number | boolean | undefined
  enum?: readonly (string | number)[] | undefined
  format?: Format | undefined
  pattern?: string | undefined
  /** In code points. */
  minLength?: number | undefined
  maxLength?: number | undefined
  minimum?: number | string | undefined
  maximum?: number | string | undefined
  exclusiveMinimum?: number | string | undefined
  exclusiveMaximum?: number | string | undefined
  formatMinimum?: string | undefined
  formatMaximum?: string | undefined
  formatExclusiveMinimum?: string | undefined
  formatExclusiveMaximum?: string | undefined
  not?: Filter | undefined
  contains?: Filter | undefined
  items?: Filter | undefined
}

/**
 * Whether a value is what a filter asks for.
 *
 * JSON Schema lets a keyword pass that does not apply to the type of the value: `{"minimum": 18}` would take every text, and
 * `{"contains": {"const": "Degree"}}` a `type` that is no array because it has one element. Here such a keyword is undecided, and so is one that is unknown or
 * can't be checked (a text too long to be matched); a filter passes only when everything in it is decided, within `not` too.
 *
 * Throws `WorkLimitError`.
 */
export const passes = (filter: Filter, value: unknown, work: Work): boolean => verdict(filter, value, work) === true

/** undefined: undecided. */
type Verdict = boolean | undefined

const verdict = (filter: Filter, value: unknown, work: Work): Verdict => {
  work.spend(VISIT)
  const { type, const: constant, enum: values, format, pattern, minLength, maxLength, ...others } = filter
  const { not, contains, items, ...bounds } = others
  return every([
    given(type, (name) => isOfType(name, value)),
    given(constant, (expected) => value === expected),
    given(values, (expected) => expected.some((one) => one === value)),
    given(format, (name) => ofText(value, (text) => hasFormat(name, text))),
    given(minLength, (least) => ofText(value, (text) => [...text].length >= least)),
    given(maxLength, (most) => ofText(value, (text) => [...text].length <= most)),
    given(pattern, (source) => ofText(value, (text) => isFound(source, text, work))),
    given(not, (inner) => negate(verdict(inner, value, work))),
    given(items, (inner) => ofArray(value, (all) => every(all.map((one) => verdict(inner, one, work))))),
    given(contains, (inner) => ofArray(value, (all) => some(all.map((one) => verdict(inner, one, work))))),
    ...Object.entries(bounds).map(([keyword, bound]) => given(bound, (limit) => isWithin(keyword, limit, value))),
  ])
}

const given = <T>(expected: T | undefined, decide: (expected: T) => Verdict): Verdict =>
  expected === undefined ? true : decide(expected)

const ofText = (value: unknown, decide: (text: string) => Verdict): Verdict =>
  typeof value === 'string' ? decide(value) : undefined

const ofArray = (value: unknown, decide: (elements: readonly unknown[]) => Verdict): Verdict =>
  Array.isArray(value) ? decide(value) : undefined

const negate = (decided: Verdict): Verdict => (decided === undefined ? undefined : !decided)

/** One false decides; else one undecided leaves all undecided. */
const every = (all: readonly Verdict[]): Verdict => {
  if (all.includes(false)) return false
  return all.includes(undefined) ? undefined : true
}

/** One true decides; else one undecided leaves all undecided. */
const some = (all: readonly Verdict[]): Verdict => negate(every(all.map(negate)))

const isOfType = (name: TypeName, value: unknown): boolean => {
  if (name === 'integer') return Number.isInteger(value)
  if (name === 'array') return Array.isArray(value)
  if (name === 'null') return value === null
  if (name === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === name
}

const isLeast = (order: number): boolean => order >= 0
const isMost = (order: number): boolean => order <= 0
const isAbove = (order: number): boolean => order > 0
const isBelow = (order: number): boolean => order < 0

/** What has to hold of the order of value and bound. */
const BOUNDS = new Map([
  ['minimum', isLeast],
  ['maximum', isMost],
  ['exclusiveMinimum', isAbove],
  ['exclusiveMaximum', isBelow],
  ['formatMinimum', isLeast],
  ['formatMaximum', isMost],
  ['formatExclusiveMinimum', isAbove],
  ['formatExclusiveMaximum', isBelow],
])

/** Numbers by their size; dates, and dates and times, by their instant. Undecided for an unknown keyword and for anything else. */
const isWithin = (keyword: string, bound: number | string, value: unknown): Verdict => {
  const [limit, actual] = typeof bound === 'string' ? [toInstant(bound), instantOf(value)] : [bound, numberOf(value)]
  return limit === undefined || actual === undefined ? undefined : BOUNDS.get(keyword)?.(actual - limit)
}

const instantOf = (value: unknown): number | undefined => (typeof value === 'string' ? toInstant(value) : undefined)
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
