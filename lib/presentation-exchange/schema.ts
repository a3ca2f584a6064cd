/** The `schema` of an input descriptor (DIF Presentation Exchange 1.0, section Input Descriptor Objects). */

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
