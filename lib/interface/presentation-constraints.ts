/** Constraints of an input descriptor of DIF Presentation Exchange: which claims, and what has to be true of them. */
import * as v from 'valibot'
import { exactly, text } from './fields.ts'

const INTEGER = '-?(?:0|[1-9][0-9]{0,8})'
const NAME = `'[^'\\\\]*'|"[^"\\\\]*"`
const SELECTOR = [
  '\\*',
  `(?:${INTEGER})(?:,${INTEGER})*`,
  `(?:${INTEGER})?:(?:${INTEGER})?(?::(?:${INTEGER})?)?`,
  `(?:${NAME})(?:,(?:${NAME}))*`,
].join('|')
/** JSONPath without expressions: those would be code of the verifier, run over somebody's credentials. */
const JSON_PATH = new RegExp(
  `^\\$(?:\\.{1,2}(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]{1,9}|\\*)|(?:\\.\\.)?\\[(?:${SELECTOR})\\])*$`,
)

const Length = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000))

const isPattern = (source: string): boolean => {
  try {
    return RegExp(source, 'u') instanceof RegExp
  } catch {
    return false
  }
}

const Type = v.picklist(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

const KEYWORDS = {
  format: v.optional(text(64)),
  pattern: v.optional(v.pipe(text(1024), v.check(isPattern, 'must be a regular expression'))),
  const: v.optional(v.union([v.number(), text(1024)])),
  enum: v.optional(v.pipe(v.array(v.union([v.number(), text(1024)])), v.minLength(1), v.maxLength(100))),
  minLength: v.optional(Length),
  maxLength: v.optional(Length),
}

const Not = v.pipe(
  exactly({ ...KEYWORDS, type: v.optional(Type) }),
  v.check((keywords) => Object.keys(keywords).length > 0, 'must not be empty'),
)

/** Version 1 also compares text, such as dates; JSON Schema, and so version 2, numbers only. */
const Bound = v.optional(v.union([v.number(), text(256)]))

/** A JSON Schema of the keywords that both versions have; the claim's value is validated against it. */
export const Filter = exactly({
  ...KEYWORDS,
  type: Type,
  minimum: Bound,
  maximum: Bound,
  exclusiveMinimum: Bound,
  exclusiveMaximum: Bound,
  not: v.optional(Not),
})

export type Filter = v.InferOutput<typeof Filter>

/** Whether a filter compares text. */
export const comparesText = ({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Filter): boolean =>
  [minimum, maximum, exclusiveMinimum, exclusiveMaximum].some((bound) => typeof bound === 'string')

const Id = text(256)
const Sentence = v.optional(text(1024))
const Optionality = v.picklist(['required', 'preferred'])

const Field = v.pipe(
  exactly({
    id: v.optional(Id),
    path: v.pipe(
      v.array(v.pipe(text(1024), v.regex(JSON_PATH, 'must be a JSONPath without expressions'))),
      v.minLength(1),
      v.maxLength(50),
    ),
    purpose: Sentence,
    filter: v.optional(Filter),
    predicate: v.optional(Optionality),
    /** These three are of version 2. */
    name: Sentence,
    optional: v.optional(v.boolean()),
    intent_to_retain: v.optional(v.boolean()),
  }),
  v.check(
    ({ predicate, filter }) => predicate === undefined || filter !== undefined,
    'must have a filter with predicate',
  ),
)

const Subjects = v.pipe(
  v.array(exactly({ field_id: v.pipe(v.array(Id), v.maxLength(50)), directive: Optionality })),
  v.maxLength(50),
)

const Status = exactly({ directive: v.picklist(['required', 'allowed', 'disallowed']) })

export const Constraints = v.pipe(
  exactly({
    limit_disclosure: v.optional(Optionality),
    statuses: v.optional(
      v.pipe(
        exactly({ active: v.optional(Status), suspended: v.optional(Status), revoked: v.optional(Status) }),
        v.check((statuses) => Object.keys(statuses).length > 0, 'must name a status'),
      ),
    ),
    fields: v.optional(v.pipe(v.array(Field), v.maxLength(100))),
    subject_is_issuer: v.optional(Optionality),
    is_holder: v.optional(Subjects),
    same_subject: v.optional(Subjects),
  }),
  v.check(({ fields = [], is_holder: holders = [], same_subject: subjects = [] }) => {
    const ids = new Set(fields.map(({ id }) => id))
    return [...holders, ...subjects].every(({ field_id: named }) => named.every((id) => ids.has(id)))
  }, 'must name fields of the same constraints'),
)
