/** A presentation definition, as far as the verifier reads it. Its schema is in lib/interface. */
import type { ClaimFormats } from './claim-formats.ts'
import type { Constraints } from './constraints.ts'
import type { SchemaEntry } from './schema.ts'
import type { SubmissionRequirement } from './submission-requirements.ts'

export interface InputDescriptor {
  id: string
  /** For submission requirements. */
  group?: readonly string[] | undefined
  /** In every descriptor of version 1, and in none of version 2. */
  schema?: readonly SchemaEntry[] | undefined
  /** Beside the definition's own: both have to permit what is presented. */
  format?: ClaimFormats | undefined
  constraints?: Constraints | undefined
}

export interface PresentationDefinition {
  id: string
  format?: ClaimFormats | undefined
  submission_requirements?: readonly SubmissionRequirement[] | undefined
  input_descriptors: readonly InputDescriptor[]
}
