/** A presentation definition of DIF Presentation Exchange, version 1 (descriptors with `schema`) or 2 (without). */
import * as v from 'valibot'
import { MAX_DESCRIPTORS, pathViolations, patternViolations } from '../presentation-exchange/definition-schema.ts'
import { ClaimFormats } from './claim-formats.ts'
import { exactly, JsonObject, noArray, notTooDeep, text, Uri } from './fields.ts'
import { Constraints, Id, Sentence } from './presentation-constraints.ts'
import { PresentationContexts } from './presentation-contexts.ts'
import { formatViolations, groupViolations, versionViolations } from './presentation-definition-rules.ts'
import { toSentDefinition } from './sent-definition.ts'
import { SubmissionRequirement } from './submission-requirement.ts'
import { noViolations } from './violations.ts'

const RULES = [versionViolations, groupViolations, formatViolations, pathViolations, patternViolations]

const InputDescriptor = exactly({
  id: Id,
  name: Sentence,
  purpose: Sentence,
  group: v.optional(v.pipe(v.array(Id), v.maxLength(50))),
  /** In version 1 only. */
  schema: v.optional(
    v.pipe(v.array(exactly({ uri: Uri, required: v.optional(v.boolean()) })), v.minLength(1), v.maxLength(50)),
  ),
  issuance: v.optional(v.pipe(v.array(noArray(v.looseObject({ manifest: v.optional(text(2048)) }))), v.maxLength(50))),
  /** In version 2 only. */
  format: v.optional(ClaimFormats),
  constraints: v.optional(Constraints),
  metadata: v.optional(JsonObject),
})

const areUnique = (ids: readonly (string | undefined)[]): boolean => {
  const present = ids.filter((id) => id !== undefined)
  return new Set(present).size === present.length
}

export const PresentationDefinition = v.pipe(
  exactly({
    id: Id,
    name: Sentence,
    purpose: Sentence,
    format: v.optional(ClaimFormats),
    submission_requirements: v.optional(v.pipe(v.array(SubmissionRequirement), v.minLength(1), v.maxLength(50))),
    input_descriptors: v.pipe(v.array(InputDescriptor), v.minLength(1), v.maxLength(MAX_DESCRIPTORS)),
  }),
  notTooDeep(),
  v.check(({ input_descriptors: descriptors }) => {
    const fields = descriptors.flatMap(({ constraints }) => constraints?.fields ?? [])
    return areUnique(descriptors.map(({ id }) => id)) && areUnique(fields.map(({ id }) => id))
  }, 'must have unique ids of descriptors and of fields'),
  noViolations((definition) => RULES.flatMap((violationsOf) => [...violationsOf(definition)])),
  v.transform((definition) => toSentDefinition(definition)),
)

export const PresentationExchangeRequest = exactly({
  presentationDefinition: PresentationDefinition,
  options: v.optional(
    exactly({
      /** By default a new UUID. */
      challenge: v.optional(text(512)),
      domain: v.optional(text(512)),
      contexts: v.optional(PresentationContexts),
    }),
  ),
})
