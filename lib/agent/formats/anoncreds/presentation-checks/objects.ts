/**
 * Checks that the objects of a presentation belong together: the prover names them, and the library does not compare
 * them.
 */
import type {
  AnonCredsCredentialDefinition,
  AnonCredsRevocationRegistryDefinition,
  AnonCredsRevocationStatusList,
  AnonCredsSchema,
} from '@credo-ts/anoncreds'
import { commonName, LINK_SECRET } from '../../../../records/anoncreds-objects.ts'
import { PresentationError, sameNames } from './assignments.ts'
import type { Identifier, Presentation, SubProof } from './presentation.ts'

/** Schemas and credential definitions by their ids. */
export interface Objects {
  schemas: ReadonlyMap<string, AnonCredsSchema>
  definitions: ReadonlyMap<string, AnonCredsCredentialDefinition>
}

/** A revocation registry, and its valid list at each requested time. */
export interface Registry {
  definition: AnonCredsRevocationRegistryDefinition
  listAt: ReadonlyMap<number, AnonCredsRevocationStatusList>
}

/** Whether an id belongs to its issuer: a DID with a path, or the old form of Indy ledgers. */
export const isNamedBy = (id: string, issuerId: string): boolean =>
  id.startsWith(issuerId.startsWith('did:') ? `${issuerId}/` : `${issuerId}:`)

/**
 * The schema and the definition of a credential. Throws `PresentationError` if the presentation names objects that do
 * not belong together.
 */
export const credentialObjects = ({ schema_id, cred_def_id }: Identifier, { schemas, definitions }: Objects) => {
  const schema = schemas.get(schema_id)
  const definition = definitions.get(cred_def_id)
  if (schema === undefined || definition === undefined)
    throw new PresentationError('an object of the presentation was not read')
  return { schema, definition }
}

/** Throws `PresentationError`. */
export const assertObjects = ({ identifiers, proof }: Presentation, objects: Objects): void => {
  for (const [index, identifier] of identifiers.entries()) {
    const { schema_id, cred_def_id } = identifier
    const { schema, definition } = credentialObjects(identifier, objects)
    if (definition.schemaId !== schema_id) throw new PresentationError('the credential definition is of another schema')
    if (!isNamedBy(schema_id, schema.issuerId) || !isNamedBy(cred_def_id, definition.issuerId))
      throw new PresentationError('the id of an object of the presentation does not belong to its issuer')
    const attributes = [...schema.attrNames.map(commonName), LINK_SECRET]
    // Credo's type is `Record<string, unknown>`.
    if (!sameNames(Object.keys(Object(definition.value.primary.r)), attributes))
      throw new PresentationError('the credential definition has other attributes than its schema')
    const subProof = proof.proofs[index]
    if (subProof === undefined || !sameNames(namesIn(subProof), attributes))
      throw new PresentationError('the proof has other attributes than the schema')
  }
}

/** Every attribute is either revealed or hidden. */
const namesIn = ({ primary_proof: { eq_proof } }: SubProof): string[] => [
  ...Object.keys(eq_proof.revealed_attrs),
  ...Object.keys(eq_proof.m),
]
