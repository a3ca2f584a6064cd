/** A presentation definition of DIF Presentation Exchange, version 1 (descriptors with `schema`) or 2 (without). */
import * as v from 'valibot'
import { ClaimFormats } from './claim-formats.ts'
import { exactly, JsonObject, noArray, text, Uri } from './fields.ts'
import { Constraints, comparesText } from './presentation-constraints.ts'
import { groupsOf, SubmissionRequirement } from './submission-requirement.ts'

const Id = text(256)
const Sentence = v.optional(text(1024))

const InputDescriptor = exactly({
  id: Id,
  name: Sentence,
  purpose: Sentence,
  group: v.optional(v.pipe(v.array(Id), v.maxLength(50))),
  /** Of version 1. */
  schema: v.optional(
    v.pipe(v.array(exactly({ uri: Uri, required: v.optional(v.boolean()) })), v.minLength(1), v.maxLength(50)),
  ),
  issuance: v.optional(v.pipe(v.array(noArray(v.looseObject({ manifest: v.optional(text(2048)) }))), v.maxLength(50))),
  /** Of version 2. */
  format: v.optional(ClaimFormats),
  constraints: v.optional(Constraints),
})

type InputDescriptor = v.InferOutput<typeof InputDescriptor>

const fieldsOf = (descriptors: readonly InputDescriptor[]) =>
  descriptors.flatMap(({ constraints }) => constraints?.fields ?? [])

const areUnique = (ids: readonly (string | undefined)[]): boolean => {
  const given = ids.filter((id) => id !== undefined)
  return new Set(given).size === given.length
}

/** Whether it holds what version 1 does not have. */
const isOnlyVersion2 = (descriptors: readonly InputDescriptor[], frame: unknown): boolean =>
  frame !== undefined ||
  descriptors.some(({ format }) => format !== undefined) ||
  fieldsOf(descriptors).some((field) => 'name' in field || 'optional' in field || 'intent_to_retain' in field)

/** Whether it holds what version 2 does not have. */
const isOnlyVersion1 = (descriptors: readonly InputDescriptor[]): boolean =>
  fieldsOf(descriptors).some(({ filter }) => filter !== undefined && comparesText(filter))

export const PresentationDefinition = v.pipe(
  exactly({
    id: Id,
    name: Sentence,
    purpose: Sentence,
    format: v.optional(ClaimFormats),
    /** Of version 2: a JSON-LD frame. */
    frame: v.optional(JsonObject),
    submission_requirements: v.optional(v.pipe(v.array(SubmissionRequirement), v.minLength(1), v.maxLength(50))),
    input_descriptors: v.pipe(v.array(InputDescriptor), v.minLength(1), v.maxLength(50)),
  }),
  v.check(({ input_descriptors: descriptors }) => {
    return areUnique(descriptors.map(({ id }) => id)) && areUnique(fieldsOf(descriptors).map(({ id }) => id))
  }, 'must have unique ids of descriptors and of fields'),
  v.check(({ input_descriptors: descriptors, frame }) => {
    const withSchema = descriptors.filter(({ schema }) => schema !== undefined).length
    if (withSchema === 0) return !isOnlyVersion1(descriptors)
    return withSchema === descriptors.length && !isOnlyVersion2(descriptors, frame)
  }, 'must be of one version: 1 with schema in every descriptor, or 2 with schema in none'),
  v.check(({ input_descriptors: descriptors, submission_requirements: requirements = [] }) => {
    const groups = new Set(descriptors.flatMap(({ group = [] }) => group))
    return groupsOf(requirements).every((group) => groups.has(group))
  }, 'must take from groups of its descriptors'),
)

export const PresentationExchangeRequest = exactly({
  presentationDefinition: PresentationDefinition,
  options: v.optional(
    exactly({
      challenge: v.optional(text(512), () => crypto.randomUUID()),
      domain: v.optional(text(512)),
      contexts: v.optional(v.record(v.string(), v.looseObject({}))),
    }),
    {},
  ),
})
