/**
 * Filters of presentation definitions: the keywords of JSON Schema that are enforced. Annotations are not sent, and all
 * other keywords are rejected.
 */
import * as v from 'valibot'
import { ANNOTATIONS, filtersIn, type Filter as Keywords } from '../presentation-exchange/definition-schema.ts'
import { FORMATS } from '../presentation-exchange/formats.ts'
import { MAX_PATTERN } from '../presentation-exchange/pattern-syntax.ts'
import { isDate, isDateTime, toInstant } from '../rfc3339.ts'
import { exactly, text } from './fields.ts'
import { noViolations, type Violation } from './violations.ts'

const Length = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000))

const FiniteNumber = v.pipe(
  v.number(),
  v.check((value) => Number.isFinite(value), 'must be a finite number'),
)

/** Syntax and size are checked with the whole definition. */
const Pattern = v.pipe(text(MAX_PATTERN), v.metadata({ format: 'regex' }))

const Instant = v.pipe(
  text(40),
  v.check((value) => toInstant(value) !== undefined, 'must be a date, or a date and time, of RFC 3339'),
)

/** Dates only in version 1. JSON Schema, and therefore version 2, compares only numbers. */
const Bound = v.optional(v.union([FiniteNumber, Instant], 'must be a number or a date'))

/**
 * https://ajv.js.org/packages/ajv-formats.html#keywords-to-compare-values-formatmaximum-formatminimum-and-formatexclusivemaximum-formatexclusiveminimum
 */
const FORMAT_BOUNDS = ['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'] as const

const formatBoundViolations = (filter: Keywords): Violation[] => {
  const isOfFormat = filter.format === 'date' ? isDate : filter.format === 'date-time' ? isDateTime : () => false
  return FORMAT_BOUNDS.flatMap((keyword) => {
    const bound = filter[keyword]
    return bound === undefined || isOfFormat(bound)
      ? []
      : [{ path: [keyword], message: 'must have the format of the filter, which is date or date-time' }]
  })
}

/** The drafts in which the keywords mean the same. */
const Draft = v.pipe(
  v.string(),
  v.regex(
    /^https?:\/\/json-schema\.org\/(?:draft-07|draft\/2019-09|draft\/2020-12)\/schema#?$/,
    'must be draft-07, 2019-09 or 2020-12 of JSON Schema',
  ),
)

const Annotation = v.optional(v.unknown())

export const Filter: v.GenericSchema<unknown, Keywords> = v.pipe(
  exactly({
    type: v.optional(v.picklist(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])),
    const: v.optional(v.union([FiniteNumber, text(1024), v.boolean()])),
    enum: v.optional(
      v.pipe(
        v.array(v.union([FiniteNumber, text(1024)])),
        v.minLength(1),
        v.maxLength(100),
        v.check((values) => new Set(values).size === values.length, 'must not have the same value twice'),
      ),
    ),
    format: v.optional(v.picklist(FORMATS)),
    pattern: v.optional(Pattern),
    minLength: v.optional(Length),
    maxLength: v.optional(Length),
    minimum: Bound,
    maximum: Bound,
    exclusiveMinimum: Bound,
    exclusiveMaximum: Bound,
    /** These six are in version 2 only. */
    formatMinimum: v.optional(Instant),
    formatMaximum: v.optional(Instant),
    formatExclusiveMinimum: v.optional(Instant),
    formatExclusiveMaximum: v.optional(Instant),
    contains: v.optional(v.lazy(() => Filter)),
    items: v.optional(v.lazy(() => Filter)),
    not: v.optional(
      v.pipe(
        v.lazy(() => Filter),
        v.check((filter) => Object.keys(filter).some((name) => !ANNOTATIONS.includes(name)), 'must not be empty'),
      ),
    ),
    $schema: v.optional(Draft),
    ...{ $comment: Annotation, title: Annotation, description: Annotation, default: Annotation, examples: Annotation },
  }),
  noViolations((filter) => formatBoundViolations(filter)),
)

const COMPARED = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const
const ONLY_VERSION_2 = [...FORMAT_BOUNDS, 'contains', 'items'] as const

/** What version 1 does not allow in a filter. It allows everything in `not`. */
export const version1Violations = (filter: Keywords): Violation[] => [
  ...(filter.type === undefined ? [{ path: ['type'], message: 'is required in version 1' }] : []),
  ...(typeof filter.const === 'boolean' ? [{ path: ['const'], message: 'must not be a boolean in version 1' }] : []),
  ...ONLY_VERSION_2.filter((keyword) => filter[keyword] !== undefined).map((keyword) => ({
    path: [keyword],
    message: 'is not in version 1',
  })),
]

/** What version 2 does not allow in a filter and the filters in it. */
export const version2Violations = (filter: Keywords): Violation[] =>
  filtersIn({ path: [], value: filter }).flatMap(({ path, value: inner }) =>
    COMPARED.filter((keyword) => typeof inner[keyword] === 'string').map((keyword) => ({
      path: [...path, keyword],
      message: 'must be a number in version 2: for dates, use formatMinimum and similar keywords',
    })),
  )
