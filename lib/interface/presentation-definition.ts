/** A presentation definition of DIF Presentation Exchange, version 1 (descriptors with `schema`) or 2 (without). */
import * as v from 'valibot'
import { exactly, JsonObject, noArray, text } from './fields.ts'

const Id = text(256)
const Name = text(1024)
const Optionality = v.picklist(['required', 'preferred'])

/** Identifiers of algorithms, proof types or cryptosuites. */
const Identifiers = v.pipe(v.array(text(128)), v.minLength(1), v.maxLength(50))

const Jwt = v.optional(exactly({ alg: Identifiers }))
const LinkedData = v.optional(exactly({ proof_type: Identifiers }))
const DataIntegrity = v.optional(exactly({ proof_type: Identifiers, cryptosuite: Identifiers }))

/** Claim format designations, section "Claim Format Designations", and those that the engine knows besides. */
const Format = exactly({
  jwt: Jwt,
  jwt_vc: Jwt,
  jwt_vc_json: Jwt,
  jwt_vp: Jwt,
  jwt_vp_json: Jwt,
  ldp: LinkedData,
  ldp_vc: LinkedData,
  ldp_vp: LinkedData,
  di: DataIntegrity,
  di_vc: DataIntegrity,
  di_vp: DataIntegrity,
  'vc+sd-jwt': v.optional(
    exactly({ 'sd-jwt_alg_values': v.optional(Identifiers), 'kb-jwt_alg_values': v.optional(Identifiers) }),
  ),
})

/** A JSON Schema: the engine compiles it, and refuses what is none. */
const Filter = JsonObject

const Field = v.pipe(
  exactly({
    id: v.optional(Id),
    path: v.pipe(
      v.array(v.pipe(text(1024), v.startsWith('$', 'must be a JSONPath that starts with $'))),
      v.minLength(1),
      v.maxLength(50),
    ),
    purpose: v.optional(Name),
    name: v.optional(Name),
    filter: v.optional(Filter),
    predicate: v.optional(Optionality),
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

const Status = v.optional(exactly({ directive: v.picklist(['required', 'allowed', 'disallowed']) }))

const Constraints = exactly({
  limit_disclosure: v.optional(Optionality),
  statuses: v.optional(exactly({ active: Status, suspended: Status, revoked: Status })),
  fields: v.optional(v.pipe(v.array(Field), v.maxLength(100))),
  subject_is_issuer: v.optional(Optionality),
  is_holder: v.optional(Subjects),
  same_subject: v.optional(Subjects),
})

const InputDescriptor = exactly({
  id: Id,
  name: v.optional(Name),
  purpose: v.optional(Name),
  group: v.optional(v.pipe(v.array(Id), v.maxLength(50))),
  schema: v.optional(
    v.pipe(v.array(exactly({ uri: text(2048), required: v.optional(v.boolean()) })), v.minLength(1), v.maxLength(50)),
  ),
  issuance: v.optional(v.pipe(v.array(noArray(v.looseObject({ manifest: v.optional(text(2048)) }))), v.maxLength(50))),
  format: v.optional(Format),
  constraints: v.optional(Constraints),
})

const Count = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000)))

export interface SubmissionRequirement {
  name?: string | undefined
  purpose?: string | undefined
  rule: 'all' | 'pick'
  count?: number | undefined
  min?: number | undefined
  max?: number | undefined
  from?: string | undefined
  from_nested?: SubmissionRequirement[] | undefined
}

export const SubmissionRequirement: v.GenericSchema<SubmissionRequirement> = v.pipe(
  exactly({
    name: v.optional(Name),
    purpose: v.optional(Name),
    rule: v.picklist(['all', 'pick']),
    count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000))),
    min: Count,
    max: Count,
    from: v.optional(Id),
    from_nested: v.optional(v.pipe(v.array(v.lazy(() => SubmissionRequirement)), v.minLength(1), v.maxLength(50))),
  }),
  v.check(
    ({ from, from_nested: nested }) => (from === undefined) !== (nested === undefined),
    'must have from or from_nested, and not both',
  ),
)

const unique = (ids: (string | undefined)[]): boolean => {
  const given = ids.filter((id) => id !== undefined)
  return new Set(given).size === given.length
}

export const PresentationDefinition = v.pipe(
  exactly({
    id: Id,
    name: v.optional(Name),
    purpose: v.optional(Name),
    format: v.optional(Format),
    frame: v.optional(Filter),
    submission_requirements: v.optional(v.pipe(v.array(SubmissionRequirement), v.minLength(1), v.maxLength(50))),
    input_descriptors: v.pipe(v.array(InputDescriptor), v.minLength(1), v.maxLength(50)),
  }),
  v.check(
    ({ input_descriptors: descriptors }) => unique(descriptors.map(({ id }) => id)),
    'must have unique descriptor ids',
  ),
  v.check(
    ({ input_descriptors: descriptors }) =>
      unique(descriptors.flatMap(({ constraints }) => constraints?.fields?.map(({ id }) => id) ?? [])),
    'must have unique field ids',
  ),
  v.check(({ input_descriptors: descriptors, frame }) => {
    const version1 = descriptors.filter(({ schema }) => schema !== undefined)
    if (version1.length === 0) return true
    return (
      version1.length === descriptors.length &&
      frame === undefined &&
      descriptors.every(({ format }) => format === undefined)
    )
  }, 'must be of one version: schema in every descriptor and neither frame nor descriptor format (1), or no schema (2)'),
)

export const PresentationExchangeRequest = exactly({
  presentationDefinition: PresentationDefinition,
  options: v.optional(exactly({ challenge: v.optional(text(512)), domain: v.optional(text(512)) })),
})
