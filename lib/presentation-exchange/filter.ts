/**
 * Filters of DIF Presentation Exchange: JSON Schema with a closed list of keywords and formats, interpreted and never
 * compiled to code.
 */
import { isObject } from '../json.ts'
import { toInstant } from '../rfc3339.ts'
import { type Claim, elementsOf, lengthOf } from './claims.ts'
import type { Filter } from './definition-schema.ts'
import { hasFormat } from './formats.ts'
import { isFound } from './pattern.ts'
import { VISIT, type Work } from './work.ts'

/**
 * Whether a value matches a filter. In JSON Schema a keyword that does not apply to the type of the value passes:
 * `{"minimum": 18}` accepts every text, and `{"contains": {"const": "Degree"}}` any `type` that is not an array. Here
 * such a keyword is undecided, and so is an unknown one, or one that can't be checked, such as the pattern of a text
 * that is too long. A filter matches only if all of it is decided, also within `not`, which negates that one verdict:
 * no value matches a filter and its negation. Throws `WorkLimitError`.
 */
export const matchesFilter = (filter: Filter, claim: Claim, work: Work): boolean =>
  verdict(filter, claim, work) === true

/** undefined: undecided. */
type Verdict = boolean | undefined

const verdict = (filter: Filter, claim: Claim, work: Work): Verdict => {
  const { value } = claim
  work.spend(VISIT + (filter.enum?.length ?? 0))
  const { type, const: constant, enum: values, format, pattern, minLength, maxLength, ...others } = filter
  const { not, contains, items, ...bounds } = others
  const ofWholeText = (decide: (text: string) => Verdict): Verdict =>
    ofText(value, (text) => {
      work.spend(text.length)
      return decide(text)
    })
  return every([
    ifPresent(type, (name) => isOfType(name, claim)),
    ifPresent(constant, (expected) => value === expected),
    ifPresent(values, (expected) => expected.some((one) => one === value)),
    ifPresent(format, (name) => ofWholeText((text) => hasFormat(name, text))),
    ifPresent(minLength, (min) => ofWholeText((text) => [...text].length >= min)),
    ifPresent(maxLength, (max) => ofWholeText((text) => [...text].length <= max)),
    ifPresent(pattern, (source) => ofText(value, (text) => isFound(source, text, work))),
    ifPresent(not, (inner) => negate(verdict(inner, claim, work))),
    ifPresent(items, (inner) => ofArray(claim, (all) => every(all.map((one) => verdict(inner, one, work))))),
    ifPresent(contains, (inner) => ofArray(claim, (all) => some(all.map((one) => verdict(inner, one, work))))),
    ...Object.entries(bounds).map(([keyword, bound]) => ifPresent(bound, (limit) => isWithin(keyword, limit, value))),
  ])
}

const ifPresent = <T>(expected: T | undefined, decide: (expected: T) => Verdict): Verdict =>
  expected === undefined ? true : decide(expected)

const ofText = (value: unknown, decide: (text: string) => Verdict): Verdict =>
  typeof value === 'string' ? decide(value) : undefined

const ofArray = (claim: Claim, decide: (elements: readonly Claim[]) => Verdict): Verdict => {
  const elements = elementsOf(claim)
  return elements && decide(elements)
}

const negate = (decided: Verdict): Verdict => (decided === undefined ? undefined : !decided)

/** One false decides; else one undecided leaves all undecided. */
const every = (all: readonly Verdict[]): Verdict => {
  if (all.includes(false)) return false
  return all.includes(undefined) ? undefined : true
}

/** One true decides; else one undecided leaves all undecided. */
const some = (all: readonly Verdict[]): Verdict => negate(every(all.map(negate)))

/** A single value has two types: its own, and that of a list of one. */
const isOfType = (name: Filter['type'], claim: Claim): boolean => {
  const { value } = claim
  if (name === 'integer') return Number.isInteger(value)
  if (name === 'array') return lengthOf(claim) !== undefined
  if (name === 'null') return value === null
  if (name === 'object') return isObject(value)
  return typeof value === name
}

const isAtLeast = (order: number): boolean => order >= 0
const isAtMost = (order: number): boolean => order <= 0
const isAbove = (order: number): boolean => order > 0
const isBelow = (order: number): boolean => order < 0

/** The order of value and bound that each keyword requires. */
const BOUNDS = new Map([
  ['minimum', isAtLeast],
  ['maximum', isAtMost],
  ['exclusiveMinimum', isAbove],
  ['exclusiveMaximum', isBelow],
  ['formatMinimum', isAtLeast],
  ['formatMaximum', isAtMost],
  ['formatExclusiveMinimum', isAbove],
  ['formatExclusiveMaximum', isBelow],
])

/** Compares numbers, and dates or times by their instant. Undecided for anything else, and for an unknown keyword. */
const isWithin = (keyword: string, bound: number | string, value: unknown): Verdict => {
  const [limit, actual] = typeof bound === 'string' ? [toInstant(bound), instantOf(value)] : [bound, numberOf(value)]
  return limit === undefined || actual === undefined ? undefined : BOUNDS.get(keyword)?.(actual - limit)
}

const instantOf = (value: unknown): number | undefined => (typeof value === 'string' ? toInstant(value) : undefined)
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
