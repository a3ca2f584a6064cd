/** A presentation definition, as far as the verifier reads it: what claim formats and schemas permit. Its schema is in lib/interface. */
import type { Constraints } from './constraints.ts'

export interface SubmissionRequirement {
  name?: string | undefined
  purpose?: string | undefined
  rule: 'all' | 'pick'
  /** With `pick`: exactly, at least, at most so many. At least one without `count` and `min`. */
  count?: number | undefined
  min?: number | undefined
  max?: number | undefined
  /** A group of descriptors, or else requirements. */
  from?: string | undefined
  from_nested?: readonly SubmissionRequirement[] | undefined
}

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

/** Most descriptors of a definition, of this agent's tenants or of another verifier, and of a submission. */
export const MAX_DESCRIPTORS = 50

/** Most paths of all fields of a definition: each is looked for in every credential that is presented for it. */
export const MAX_PATHS = 500

/** Most parts of all patterns of a definition, their repetitions written out: to compile them takes 0.1 s. */
export const MAX_PATTERN_SIZES = 10_000

/** Proof types that the verifier can verify; credentials and presentations are JSON-LD. */
export const VERIFIABLE_PROOF_TYPES = ['Ed25519Signature2018', 'Ed25519Signature2020']

/** `ldp` stands for both of the others. */
export interface ClaimFormats {
  ldp?: { proof_type: readonly string[] } | undefined
  ldp_vc?: { proof_type: readonly string[] } | undefined
  ldp_vp?: { proof_type: readonly string[] } | undefined
}

/**
 * Whether a credential (`ldp_vc`) or a presentation (`ldp_vp`) with a linked data proof of this type is permitted. Formats that say nothing
 * of one of the two, and something of the other, leave it free: ACA-Py's users write `ldp_vp` alone.
 */
export const permits = (formats: ClaimFormats | undefined, claim: 'ldp_vc' | 'ldp_vp', proofType: string): boolean => {
  if (formats === undefined) return true
  const { ldp, ldp_vc: credential, ldp_vp: presentation } = formats
  const named = [ldp, claim === 'ldp_vc' ? credential : presentation].filter((format) => format !== undefined)
  if (named.length > 0) return named.some((format) => format.proof_type.includes(proofType))
  return credential !== undefined || presentation !== undefined
}

/** Whether the formats permit both a credential and a presentation that the verifier can verify. */
export const isVerifiable = (formats: ClaimFormats): boolean =>
  (['ldp_vc', 'ldp_vp'] as const).every((claim) => VERIFIABLE_PROOF_TYPES.some((type) => permits(formats, claim, type)))

export interface SchemaEntry {
  uri: string
  required?: boolean | undefined
}

/** What a schema's URI may name. Wallets differ: Credo's compares the first, second and fourth, ACA-Py's the third. */
export interface SchemaFacts {
  /** Addresses in the credential's `@context`. */
  contexts: readonly string[]
  /** Types as the credential spells them. */
  types: readonly string[]
  /** The same types as full IRIs, expanded with trusted contexts. */
  typeIris: readonly string[]
  /** Ids in `credentialSchema`. */
  schemaIds: readonly string[]
}

/**
 * Whether a credential has a schema that the descriptor asks for: each `required` one, or any one when none is required. A descriptor
 * without `schema` (version 2) takes every credential. URIs are compared exactly.
 */
export const matchesSchema = (schema: readonly SchemaEntry[] | undefined, facts: SchemaFacts): boolean => {
  if (schema === undefined) return true
  const { contexts, types, typeIris, schemaIds } = facts
  const known = new Set([...contexts, ...types, ...typeIris, ...schemaIds])
  const required = schema.filter((entry) => entry.required === true)
  return required.length > 0 ? required.every(({ uri }) => known.has(uri)) : schema.some(({ uri }) => known.has(uri))
}
