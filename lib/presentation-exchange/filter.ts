/** Filters of DIF Presentation Exchange: JSON Schema with a closed list of keywords and formats, interpreted and never compiled to code. */
import { isIPv4, isIPv6 } from 'node:net'
import { isDate, isDateTime, isTime, toInstant } from '../rfc3339.ts'
import { isFound } from './pattern.ts'
import { VISIT, type Work } from './work.ts'

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/** RFC 1123, section 2.1. */
const isHostname = (text: string): boolean => text.length <= 253 && text.split('.').every((label) => LABEL.test(label))

const ATOM = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+$/i

/** A mailbox of RFC 5321, section 4.1.2, without quoted names and address literals. */
const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf('@')
  const name = text.slice(0, Math.max(at, 0))
  return name.length <= 64 && name.split('.').every((atom) => ATOM.test(atom)) && isHostname(text.slice(at + 1))
}

const URI = /^[a-z][a-z0-9+.-]*:(?:[a-z0-9._~:/?#[\]@!$&'()*+,;=-]|%[0-9a-f]{2})*$/i

/** RFC 3986, with a scheme. */
const isUri = (text: string): boolean => URI.test(text) && URL.canParse(text)

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** https://json-schema.org/draft/2020-12/json-schema-validation#section-7.3 */
const CHECKS = {
  date: isDate,
  'date-time': isDateTime,
  time: isTime,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  /** RFC 4291; a zone (`%eth0`) is no part of the address. */
  ipv6: (text: string): boolean => isIPv6(text) && !text.includes('%'),
  uri: isUri,
  uuid: (text: string): boolean => UUID.test(text),
}

type Format = keyof typeof CHECKS

const isFormat = (name: string): name is Format => Object.hasOwn(CHECKS, name)

export const FORMATS: readonly Format[] = Object.keys(CHECKS).filter(isFormat)

/** Whether the text has the format. False for an unknown format. */
const hasFormat = (format: string, text: string): boolean => isFormat(format) && CHECKS[format](text)

type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null'

/**
 * The keywords that Credo's engine supports. Version 1 has no `contains`, `items` and `format...`; in version 2, bounds such as `minimum` are numbers.
 * A bound that is a text is a date, or a date and time (RFC 3339).
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
 * Whether a value passes a filter. In JSON Schema a keyword that does not apply to the type of the value passes: `{"minimum": 18}` accepts every text,
 * and `{"contains": {"const": "Degree"}}` any `type` that is no array. Here such a keyword is undecided, and so is an unknown one, or one that can't be
 * checked, such as the pattern of a text that is too long. A filter passes only if all of it is decided, also within `not`. Throws `WorkLimitError`.
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

/** The order of value and bound that each keyword requires. */
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

/** Compares numbers, and dates or times by their instant. Undecided for anything else, and for an unknown keyword. */
const isWithin = (keyword: string, bound: number | string, value: unknown): Verdict => {
  const [limit, actual] = typeof bound === 'string' ? [toInstant(bound), instantOf(value)] : [bound, numberOf(value)]
  return limit === undefined || actual === undefined ? undefined : BOUNDS.get(keyword)?.(actual - limit)
}

const instantOf = (value: unknown): number | undefined => (typeof value === 'string' ? toInstant(value) : undefined)
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
