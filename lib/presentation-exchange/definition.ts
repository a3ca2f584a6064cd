/** Presentation definitions: their types, and the evaluation of claim formats, schemas and submission requirements. Their schema is in lib/interface. */
import type { Constraints } from './constraints.ts'

/** DIF Presentation Exchange, section Submission Requirements. */
export interface SubmissionRequirement {
  name?: string | undefined
  purpose?: string | undefined
  rule: 'all' | 'pick'
  /** Exact number of parts, for `pick`. */
  count?: number | undefined
  /** For `pick`; 1 if neither `count` nor `min` is given. */
  min?: number | undefined
  max?: number | undefined
  /** A group of descriptors; given if `from_nested` is not. */
  from?: string | undefined
  from_nested?: readonly SubmissionRequirement[] | undefined
}

export interface InputDescriptor {
  id: string
  /** Groups that submission requirements refer to. */
  group?: readonly string[] | undefined
  /** Version 1 only, where it is required. */
  schema?: readonly SchemaEntry[] | undefined
  /** The definition's own formats have to permit a credential too. */
  format?: ClaimFormats | undefined
  constraints?: Constraints | undefined
}

export interface PresentationDefinition {
  id: string
  format?: ClaimFormats | undefined
  submission_requirements?: readonly SubmissionRequirement[] | undefined
  input_descriptors: readonly InputDescriptor[]
}

/** Maximum number of descriptors of a definition or a submission. */
export const MAX_DESCRIPTORS = 50

/** Maximum number of paths of a definition: each is evaluated on every credential. */
export const MAX_PATHS = 500

/** Maximum sum of the sizes of a definition's patterns (see pattern-syntax.ts). Compiling them takes 0.1 s. */
export const MAX_PATTERN_SIZES = 10_000

/** Supported proof types of JSON-LD credentials and presentations. */
export const VERIFIABLE_PROOF_TYPES = ['Ed25519Signature2018', 'Ed25519Signature2020']

/** `ldp` covers credentials and presentations. */
export interface ClaimFormats {
  ldp?: { proof_type: readonly string[] } | undefined
  ldp_vc?: { proof_type: readonly string[] } | undefined
  ldp_vp?: { proof_type: readonly string[] } | undefined
}

/**
 * Whether the formats permit a credential (`ldp_vc`) or a presentation (`ldp_vp`) with this type of proof. If they mention only the other of the two,
 * any type is permitted: users of ACA-Py write `ldp_vp` alone.
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

/** Texts of a credential that a schema's URI may be equal to. Credo compares contexts, types and schema ids, ACA-Py the full IRIs of types. */
export interface SchemaFacts {
  /** Addresses in the credential's `@context`. */
  contexts: readonly string[]
  /** Types as they are written in the credential. */
  types: readonly string[]
  /** The same types as full IRIs, expanded with trusted contexts. */
  typeIris: readonly string[]
  /** Ids in `credentialSchema`. */
  schemaIds: readonly string[]
}

/**
 * Whether a credential has the schemas of a descriptor: all `required` ones, or any one if none is required. A descriptor without schemas (version 2)
 * accepts every credential.
 */
export const matchesSchema = (schema: readonly SchemaEntry[] | undefined, facts: SchemaFacts): boolean => {
  if (schema === undefined) return true
  const { contexts, types, typeIris, schemaIds } = facts
  const known = new Set([...contexts, ...types, ...typeIris, ...schemaIds])
  const required = schema.filter((entry) => entry.required === true)
  return required.length > 0 ? required.every(({ uri }) => known.has(uri)) : schema.some(({ uri }) => known.has(uri))
}

/** Whether the descriptors with these ids satisfy the definition: its submission requirements, or without any, all descriptors. */
export const isSatisfiedBy = (definition: PresentationDefinition, met: ReadonlySet<string>): boolean => {
  const { submission_requirements: requirements, input_descriptors: descriptors } = definition
  const groupOf = (name: string): boolean[] =>
    descriptors.filter(({ group = [] }) => group.includes(name)).map(({ id }) => met.has(id))
  const isMet = (requirement: SubmissionRequirement): boolean => {
    const { from, from_nested: nested = [] } = requirement
    return fulfils(requirement, from === undefined ? nested.map(isMet) : groupOf(from))
  }
  return requirements === undefined ? descriptors.every(({ id }) => met.has(id)) : requirements.every(isMet)
}

const fulfils = ({ rule, count, min, max }: SubmissionRequirement, parts: readonly boolean[]): boolean => {
  const fulfilled = parts.filter(Boolean).length
  if (rule === 'all') return fulfilled === parts.length
  return (count === undefined || fulfilled === count) && fulfilled >= (min ?? 1) && fulfilled <= (max ?? fulfilled)
}
