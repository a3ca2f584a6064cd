/** Evaluates the claim formats, schemas and submission requirements of presentation definitions. */
import type {
  ClaimFormats,
  InputDescriptor,
  PresentationDefinition,
  SubmissionRequirement,
} from './definition-schema.ts'

/** Supported proof types of JSON-LD credentials and presentations. */
export const VERIFIABLE_PROOF_TYPES = ['Ed25519Signature2018', 'Ed25519Signature2020']

/**
 * Whether the formats permit a credential (`ldp_vc`) or a presentation (`ldp_vp`) with this type of proof. If they
 * mention only the other of the two, any type is permitted: users of ACA-Py write `ldp_vp` alone.
 */
export const permits = (formats: ClaimFormats | undefined, claim: 'ldp_vc' | 'ldp_vp', proofType: string): boolean => {
  if (formats === undefined) return true
  const { ldp, ldp_vc: credential, ldp_vp: presentation } = formats
  const named = [ldp, claim === 'ldp_vc' ? credential : presentation].filter((format) => format !== undefined)
  if (named.length > 0) return named.some((format) => format.proof_type.includes(proofType))
  return credential !== undefined || presentation !== undefined
}

/** Whether the formats permit both a credential and a presentation that the verifier can verify. */
export const isVerifiable = (formats: ClaimFormats | undefined): boolean =>
  (['ldp_vc', 'ldp_vp'] as const).every((claim) => VERIFIABLE_PROOF_TYPES.some((type) => permits(formats, claim, type)))

export interface SchemaFacts {
  /**
   * Texts of a credential that a schema's URI may be equal to: addresses in its `@context`, its types as they are written,
   * the same as full IRIs (expanded with trusted contexts), and ids in `credentialSchema`. Credo compares all but the IRIs,
   * ACA-Py these. A set, because an issuer may name thousands of types, and each descriptor is compared with them.
   */
  schemaNames: ReadonlySet<string>
}

/**
 * Whether a credential has the schemas of a descriptor: all `required` ones, or any one if none is required. A
 * descriptor without schemas (version 2) accepts every credential.
 */
export const matchesSchema = (schema: InputDescriptor['schema'], { schemaNames: known }: SchemaFacts): boolean => {
  if (schema === undefined) return true
  const required = schema.filter((entry) => entry.required === true)
  return required.length > 0 ? required.every(({ uri }) => known.has(uri)) : schema.some(({ uri }) => known.has(uri))
}

/**
 * Whether the descriptors with these ids satisfy the definition: its submission requirements, or without any, all
 * descriptors.
 */
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
