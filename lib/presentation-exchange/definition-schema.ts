/**
 * The schema of another verifier's presentation definition: its shape and limits. A definition with parts that this
 * agent does not evaluate, such as an unknown keyword, is rejected, so that no credential is shown for it.
 */
import * as v from 'valibot'
import { isNestedDeeperThan, isObject, MAX_DEPTH } from '../json.ts'
import { FORMATS } from './formats.ts'
import { TENANT_PATH } from './path.ts'
import { compilePattern } from './pattern.ts'
import { PatternError } from './pattern-characters.ts'
import { MAX_PATTERN, translatePattern } from './pattern-syntax.ts'

/** Maximum number of descriptors of a definition or a submission. */
export const MAX_DESCRIPTORS = 50

/** Maximum number of paths of a definition: each is evaluated on every credential. */
const MAX_PATHS = 500

/** Maximum sum of the sizes of a definition's patterns (see pattern-syntax.ts). Compiling them takes 0.1 s. */
const MAX_PATTERN_SIZES = 10_000

const Id = v.pipe(v.string(), v.minLength(1), v.maxLength(256))
const Text = v.pipe(v.string(), v.maxLength(2048))

const read = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.pipe(v.custom<object>(isObject), v.object(entries))

const ProofTypes = v.optional(read({ proof_type: v.pipe(v.array(Text), v.maxLength(50)) }))
/** `ldp` covers credentials and presentations. */
const Formats = read({ ldp: ProofTypes, ldp_vc: ProofTypes, ldp_vp: ProofTypes })

const Bound = v.optional(v.union([v.number(), Text]))
const Length = v.optional(v.number())

/**
 * The keywords that Credo's engine supports. Version 1 has no `contains`, `items` and `format...`; in version 2, bounds
 * such as `minimum` are numbers. A bound that is a text is a date, or a date and time (RFC 3339). Lengths are in code
 * points.
 */
const Keywords = v.object({
  type: v.optional(v.picklist(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])),
  const: v.optional(v.union([v.number(), Text, v.boolean()])),
  enum: v.optional(v.pipe(v.array(v.union([v.number(), Text])), v.maxLength(1000))),
  format: v.optional(v.picklist(FORMATS)),
  pattern: v.optional(v.pipe(v.string(), v.maxLength(MAX_PATTERN))),
  minLength: Length,
  maxLength: Length,
  minimum: Bound,
  maximum: Bound,
  exclusiveMinimum: Bound,
  exclusiveMaximum: Bound,
  formatMinimum: v.optional(Text),
  formatMaximum: v.optional(Text),
  formatExclusiveMinimum: v.optional(Text),
  formatExclusiveMaximum: v.optional(Text),
})

export interface Filter extends v.InferOutput<typeof Keywords> {
  not?: Filter | undefined
  contains?: Filter | undefined
  items?: Filter | undefined
}

/** Keywords that assert nothing. */
export const ANNOTATIONS: readonly string[] = [
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
]

export const withoutAnnotations = (filter: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(filter).filter(([name]) => !ANNOTATIONS.includes(name)))

const FilterSchema: v.GenericSchema<unknown, Filter> = v.pipe(
  v.custom<Record<string, unknown>>(isObject),
  v.transform((filter) => withoutAnnotations(filter)),
  v.strictObject(
    {
      ...Keywords.entries,
      not: v.optional(v.lazy(() => FilterSchema)),
      contains: v.optional(v.lazy(() => FilterSchema)),
      items: v.optional(v.lazy(() => FilterSchema)),
    },
    'has a keyword that is not supported',
  ),
)

/** Without those that this agent does not evaluate: paths are alternatives. */
const Paths = v.pipe(
  v.array(v.pipe(v.string(), v.maxLength(1024))),
  v.maxLength(50),
  v.transform((paths) => paths.filter((path) => TENANT_PATH.test(path))),
  v.minLength(1, 'has no supported path'),
)

const Optionality = v.picklist(['required', 'preferred'])

/** A claim that a descriptor asks for. Its paths are alternatives, the preferred one first. */
const FieldSchema = read({
  id: v.optional(Id),
  path: Paths,
  filter: v.optional(FilterSchema),
  optional: v.optional(v.boolean()),
  /** No supported proof type can prove a predicate without its value. */
  predicate: v.optional(v.literal('preferred', 'must be preferred')),
})

const Relations = v.optional(
  v.pipe(v.array(read({ field_id: v.pipe(v.array(Id), v.maxLength(50)), directive: Optionality })), v.maxLength(50)),
)

const ConstraintsSchema = read({
  fields: v.optional(v.pipe(v.array(FieldSchema), v.maxLength(100))),
  /** No supported proof type can hide a part of a credential: the holder would show more than the verifier permits. */
  limit_disclosure: v.optional(v.literal('preferred', 'must be preferred')),
  subject_is_issuer: v.optional(Optionality),
  is_holder: Relations,
  same_subject: Relations,
})

const Schemas = v.pipe(v.array(read({ uri: Text, required: v.optional(v.boolean()) })), v.minLength(1), v.maxLength(50))

/** ACA-Py also writes `{"oneof_filter": [[{"uri"}]]}`: any one of them is enough. */
const AnySchemas = v.pipe(
  read({ oneof_filter: v.pipe(v.array(v.union([Schemas, read({ uri: Text })])), v.maxLength(50)) }),
  v.transform(({ oneof_filter: filter }): v.InferOutput<typeof Schemas> => filter.flat()),
)

const Descriptor = read({
  id: Id,
  /** Groups that submission requirements refer to. */
  group: v.optional(v.pipe(v.array(Id), v.maxLength(50))),
  schema: v.optional(v.union([Schemas, AnySchemas])),
  format: v.optional(Formats),
  constraints: v.optional(ConstraintsSchema),
})

const Count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)))

const Requirement = v.object({
  rule: v.picklist(['all', 'pick']),
  /** Exact number of parts, for `pick`. */
  count: Count,
  /** For `pick`; 1 if neither `count` nor `min` is given. */
  min: Count,
  max: Count,
  /** A group of descriptors; given if `from_nested` is not. */
  from: v.optional(Id),
})

export interface SubmissionRequirement extends v.InferOutput<typeof Requirement> {
  from_nested?: readonly SubmissionRequirement[] | undefined
}

const SubmissionRequirementSchema: v.GenericSchema<unknown, SubmissionRequirement> = v.pipe(
  read({
    ...Requirement.entries,
    from_nested: v.optional(
      v.pipe(v.array(v.lazy(() => SubmissionRequirementSchema)), v.minLength(1), v.maxLength(50)),
    ),
  }),
  v.check(
    ({ from, from_nested: nested }) => (from === undefined) !== (nested === undefined),
    'must have from or from_nested, and not both',
  ),
)

export const ReceivedDefinition = v.pipe(
  v.custom<object>(isObject),
  v.check((definition) => !isNestedDeeperThan(definition, MAX_DEPTH), 'is nested too deep'),
  v.object({
    id: Id,
    format: v.optional(Formats),
    submission_requirements: v.optional(v.pipe(v.array(SubmissionRequirementSchema), v.maxLength(50))),
    input_descriptors: v.pipe(v.array(Descriptor), v.minLength(1), v.maxLength(MAX_DESCRIPTORS)),
  }),
  v.check(
    ({ input_descriptors: all }) => new Set(all.map(({ id }) => id)).size === all.length,
    'names a descriptor twice',
  ),
  v.check((definition) => pathViolations(definition).length === 0, 'has too many paths'),
  v.check((definition) => patternViolations(definition).next().done === true, 'has a pattern that is not supported'),
)

export type PresentationDefinition = v.InferOutput<typeof ReceivedDefinition>
export type InputDescriptor = v.InferOutput<typeof Descriptor>
export type Constraints = v.InferOutput<typeof ConstraintsSchema>
export type Field = v.InferOutput<typeof FieldSchema>
export type ClaimFormats = v.InferOutput<typeof Formats>

/** A part of a definition, and where it is. */
interface Placed<Part> {
  path: readonly (string | number)[]
  value: Part
}

interface Described {
  input_descriptors: readonly InputDescriptor[]
}

export const fieldsOf = ({ input_descriptors: descriptors }: Described): Placed<Field>[] =>
  descriptors.flatMap(({ constraints }, at) =>
    (constraints?.fields ?? []).map((value, index) => ({
      path: ['input_descriptors', at, 'constraints', 'fields', index],
      value,
    })),
  )

/** The filters of fields, without those in them. */
export const topFiltersOf = (definition: Described): Placed<Filter>[] =>
  fieldsOf(definition).flatMap(({ path, value: { filter } }) =>
    filter === undefined ? [] : [{ path: [...path, 'filter'], value: filter }],
  )

/** A filter and all filters in it. */
export const filtersIn = ({ path, value }: Placed<Filter>): Placed<Filter>[] => [
  { path, value },
  ...(['not', 'contains', 'items'] as const).flatMap((keyword) => {
    const inner = value[keyword]
    return inner === undefined ? [] : filtersIn({ path: [...path, keyword], value: inner })
  }),
]

/** The total number of paths is limited. */
export const pathViolations = (definition: Described) => {
  const paths = fieldsOf(definition).reduce((sum, { value: { path } }) => sum + path.length, 0)
  return paths > MAX_PATHS ? [{ path: [], message: `must not have more than ${MAX_PATHS} paths` }] : []
}

/**
 * All patterns must compile, and have a limited total size. A generator, because a received definition is checked only
 * until the first violation.
 */
export function* patternViolations(definition: Described) {
  let left = MAX_PATTERN_SIZES
  for (const { path, value } of topFiltersOf(definition).flatMap(filtersIn)) {
    const { pattern } = value
    if (pattern === undefined) continue
    const message = patternViolation(() => {
      left -= translatePattern(pattern).size
      if (left < 0) throw new PatternError(`must have at most ${MAX_PATTERN_SIZES} parts together with other patterns`)
      compilePattern(pattern)
    })
    if (message !== undefined) yield { path: [...path, 'pattern'], message }
  }
}

/** What is wrong with a pattern, if anything. */
const patternViolation = (compile: () => void): string | undefined => {
  try {
    compile()
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}
