/** Whether a verified presentation is what a definition asks for. */

import { unmetConstraints } from './constraints.ts'
import {
  type InputDescriptor,
  matchesSchema,
  type PresentationDefinition,
  permits,
  type SchemaFacts,
} from './definition.ts'
import { credentialIndex, type Submission } from './submission.ts'
import { isSatisfiedBy } from './submission-requirements.ts'
import { Work, WorkLimitError } from './work.ts'

/** A verified credential, as the verifier reads it. */
export interface PresentedCredential extends SchemaFacts {
  /** In the verifier's terms. */
  json: unknown
  proofType: string
}

export interface Presented {
  /** DID that signed the presentation. */
  signer: string
  proofType: string
  credentials: readonly PresentedCredential[]
}

/** What the presentation lacks of the definition, in a sentence; undefined where it is what was asked for. */
export const shortcoming = (
  definition: PresentationDefinition,
  submission: Submission,
  presented: Presented,
): string | undefined => {
  if (!permits(definition.format, 'ldp_vp', presented.proofType)) return 'the definition permits no such presentation'
  try {
    return shortcomingOfCredentials(definition, submission, presented)
  } catch (error) {
    if (error instanceof WorkLimitError) return error.message
    throw error
  }
}

const shortcomingOfCredentials = (
  definition: PresentationDefinition,
  submission: Submission,
  { signer, credentials }: Presented,
): string | undefined => {
  const work = new Work()
  const met = new Set<string>()
  for (const entry of submission.descriptor_map) {
    const descriptor = definition.input_descriptors.find(({ id }) => id === entry.id)
    if (descriptor === undefined) return 'the submission names a descriptor that the definition does not have'
    const credential = credentials[credentialIndex(entry, credentials.length) ?? -1]
    if (credential === undefined)
      return `the path of descriptor "${entry.id}" leads to no credential of the presentation`
    const missing = shortcomingOf(credential, descriptor, definition, signer, work)
    if (missing !== undefined) return `descriptor "${entry.id}" is not met: ${missing}`
    met.add(entry.id)
  }
  return isSatisfiedBy(definition, met) ? undefined : 'not all that the definition asks for was presented'
}

const shortcomingOf = (
  credential: PresentedCredential,
  { schema, format, constraints = {} }: InputDescriptor,
  definition: PresentationDefinition,
  signer: string,
  work: Work,
): string | undefined => {
  if (!matchesSchema(schema, credential)) return 'schema'
  if (![definition.format, format].every((formats) => permits(formats, 'ldp_vc', credential.proofType))) return 'format'
  const [first] = unmetConstraints(constraints, { credential: credential.json, signer }, work)
  return first
}
