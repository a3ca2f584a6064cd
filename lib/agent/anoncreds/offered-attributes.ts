/** AnonCreds that this agent offers: of a definition of its own, with exactly the attributes of its schema. */
import {
  type AnonCredsCredentialDefinition,
  AnonCredsCredentialDefinitionRepository,
  fetchSchema,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import { AgentError, type FieldIssue, invalidField } from '../../errors.ts'
import { defined } from '../defined.ts'
import { nextRevocationIndex, type RevocationIndex } from './revocation-index.ts'

export interface OfferedAttributes {
  credentialDefinitionId: string
  attributes: { name: string; value: string; mimeType?: string | undefined }[]
}

/** A credential of one definition, in one or both formats: these differ in how they name the definition. */
interface Offered {
  indy?: OfferedAttributes | undefined
  anoncreds?: OfferedAttributes | undefined
}

type Format = OfferedAttributes & Partial<RevocationIndex>

/**
 * The formats as Credo takes them. `path` is where they are in the request.
 * Throws `request.invalid` for a definition that this agent does not have and for attributes that are not those of its schema, and
 * `store.unavailable` where the schema can not be read.
 */
export const toAnonCredsFormats = async (
  agentContext: AgentContext,
  { indy, anoncreds }: Offered,
  path: string,
): Promise<{ indy?: Format; anoncreds?: Format }> => {
  const definitions = new Map<string, AnonCredsCredentialDefinition>()
  for (const [format, offered] of Object.entries(defined({ indy, anoncreds }))) {
    const { id, definition } = await ownDefinition(agentContext, offered, `${path}.${format}`)
    definitions.set(id, definition)
  }
  if (definitions.size > 1) throw invalidField(path, 'must be of one credential definition in indy and in anoncreds')
  const [only] = definitions
  if (only === undefined) return {}
  const [id, { value }] = only
  // A wallet may take both: they are one credential, and are revoked as one.
  const index = value.revocation === undefined ? {} : await nextRevocationIndex(id)
  return defined({ indy: indy && { ...indy, ...index }, anoncreds: anoncreds && { ...anoncreds, ...index } })
}

/** The definition, and the id by which it was published. */
const ownDefinition = async (
  agentContext: AgentContext,
  { credentialDefinitionId, attributes }: OfferedAttributes,
  path: string,
): Promise<{ id: string; definition: AnonCredsCredentialDefinition }> => {
  const record = await agentContext
    .resolve(AnonCredsCredentialDefinitionRepository)
    .findByCredentialDefinitionId(agentContext, credentialDefinitionId)
  if (record === null)
    throw invalidField(`${path}.credentialDefinitionId`, 'is not a credential definition of this agent')
  const { credentialDefinitionId: id, credentialDefinition: definition } = record
  const names = await schemaAttributes(agentContext, definition.schemaId)
  const issues = differences(attributes, names, `${path}.attributes`)
  if (issues.length > 0) throw new AgentError('request.invalid', 'the request breaks its schema', { details: issues })
  return { id, definition }
}

const schemaAttributes = async (agentContext: AgentContext, schemaId: string): Promise<string[]> => {
  try {
    return (await fetchSchema(agentContext, schemaId)).schema.attrNames
  } catch (error) {
    if (!(error instanceof CredoError)) throw error
    throw new AgentError('store.unavailable', 'the schema of the credential definition can not be read', {
      cause: error,
    })
  }
}

const differences = (attributes: OfferedAttributes['attributes'], names: string[], path: string): FieldIssue[] => {
  const missing = names.filter((name) => !attributes.some((one) => one.name === name))
  return [
    ...attributes.flatMap(({ name }, index) =>
      names.includes(name) ? [] : [{ path: `${path}.${index}.name`, message: 'is not an attribute of the schema' }],
    ),
    ...missing.map((name) => ({ path, message: `lack the attribute "${name}" of the schema` })),
  ]
}
