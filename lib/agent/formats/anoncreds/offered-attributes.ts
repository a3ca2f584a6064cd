/** Checks AnonCreds offers: the definition must belong to this agent, and have exactly the offered attributes. */
import { type AnonCredsCredentialDefinition, AnonCredsCredentialDefinitionRepository } from '@credo-ts/anoncreds'
import * as v from 'valibot'
import { AgentError, type FieldIssue, invalidField } from '../../../errors.ts'
import type { CredentialFormats } from '../../../interface/credential-offer.ts'
import { defined } from '../../../json.ts'
import { EntityId } from '../../../records/tenant.ts'
import { allocateRevocationIndex, secondsUntilReady } from '../../../revocation/allocate-index.ts'
import { currentUnit } from '../../../store/transaction.ts'
import type { TenantAgent } from '../../credo/index.ts'
import { findDefinition, readDefinition } from './definition-records.ts'
import { assertAnonCredsLoads } from './library.ts'
import { resolveSchema } from './resolve.ts'

/**
 * A credential of one definition in one or both formats. Both name the definition by its id; `anoncreds` may also use
 * the id of its record.
 */
type Offered = Pick<v.InferOutput<typeof CredentialFormats>, 'indy' | 'anoncreds'>
type OfferedAttributes = NonNullable<Offered['anoncreds']>

type Format = OfferedAttributes & Partial<RevocationIndex>

/**
 * The formats for Credo. `path` is their path in the request. Throws `request.invalid` for a definition that this agent
 * does not have or attributes other than those of its schema, `definition.not_ready`, `registry.unavailable` if the
 * schema cannot be read, `revocation.no_index`, and `anoncreds.unavailable`.
 */
export const toAnonCredsFormats = async (
  agent: TenantAgent,
  { indy, anoncreds }: Offered,
  path: string,
): Promise<{ indy?: Format; anoncreds?: Format }> => {
  if (indy === undefined && anoncreds === undefined) return {}
  assertAnonCredsLoads()
  const asIndy = indy && (await ownDefinition(agent, indy, `${path}.indy`))
  const asAnonCreds = anoncreds && (await ownDefinition(agent, anoncreds, `${path}.anoncreds`))
  const own = asAnonCreds ?? asIndy
  if (own === undefined) return {}
  if (own.id !== (asIndy ?? own).id)
    throw invalidField(path, 'must name the same credential definition in indy and in anoncreds')
  // A wallet may accept both formats: they are one credential and are revoked as one.
  const index = own.definition.value.revocation === undefined ? {} : await nextRevocationIndex(own.id)
  return defined({
    indy: indy && { ...indy, ...index },
    anoncreds: anoncreds && { ...anoncreds, credentialDefinitionId: asAnonCreds?.offeredAs ?? own.id, ...index },
  })
}

interface OwnDefinition {
  /** The id under which it was published. */
  id: string
  /** The id in the form that the request uses, qualified or not. For the id of a record, the published id. */
  offeredAs: string
  definition: AnonCredsCredentialDefinition
}

const ownDefinition = async (
  agent: TenantAgent,
  { credentialDefinitionId, attributes }: OfferedAttributes,
  path: string,
): Promise<OwnDefinition> => {
  const own =
    (await published(agent, credentialDefinitionId, path)) ??
    (await published(agent, await idOfRecord(credentialDefinitionId), path))
  if (own === undefined)
    throw invalidField(`${path}.credentialDefinitionId`, 'is not a credential definition of this agent')
  const schema = await resolveSchema(agent, own.definition.schemaId)
  if (schema === undefined) throw new AgentError('registry.unavailable', 'the schema of the definition does not exist')
  const issues = attributeIssues(attributes, schema.attrNames, `${path}.attributes`)
  if (issues.length > 0)
    throw new AgentError('request.invalid', 'the attributes do not match the schema', { details: issues })
  return own
}

const published = async (
  { context }: TenantAgent,
  id: string | undefined,
  path: string,
): Promise<OwnDefinition | undefined> => {
  if (id === undefined) return undefined
  const [record, another] = await context
    .resolve(AnonCredsCredentialDefinitionRepository)
    .findByQuery(context, { $or: [{ credentialDefinitionId: id }, { unqualifiedCredentialDefinitionId: id }] })
  if (another !== undefined)
    throw invalidField(
      `${path}.credentialDefinitionId`,
      'is the id of credential definitions on several ledgers: offer one in the format anoncreds, by its qualified id',
    )
  return record === undefined
    ? undefined
    : { id: record.credentialDefinitionId, offeredAs: id, definition: record.credentialDefinition }
}

/** The definition of a record of this agent. Throws `definition.not_ready` if it was not published. */
const idOfRecord = async (id: string): Promise<string | undefined> => {
  const unit = currentUnit()
  const record = (v.is(EntityId, id) && (await readDefinition(unit, id))) || (await findDefinition(unit, id))
  if (record === undefined || record.state === 'finished') return record?.credentialDefinitionId
  const { state } = record
  throw new AgentError(
    'definition.not_ready',
    `the credential definition cannot be used yet: its state is ${state}`,
    state === 'failed' ? {} : { retryAfter: secondsUntilReady(state === 'action') },
  )
}

const attributeIssues = (attributes: OfferedAttributes['attributes'], names: string[], path: string): FieldIssue[] => {
  const missing = names.filter((name) => !attributes.some((one) => one.name === name))
  return [
    ...attributes.flatMap(({ name }, index) =>
      names.includes(name) ? [] : [{ path: `${path}.${index}.name`, message: 'is not an attribute of the schema' }],
    ),
    ...missing.map((name) => ({ path, message: `lack the attribute "${name}" of the schema` })),
  ]
}

/** The position of a credential in a revocation registry, in Credo's form. */
interface RevocationIndex {
  revocationRegistryDefinitionId: string
  revocationRegistryIndex: number
}

/**
 * Takes the next free index of the definition's registries for an offer. Throws `revocation.no_index`,
 * `store.unavailable`.
 */
const nextRevocationIndex = async (credentialDefinitionId: string): Promise<RevocationIndex> => {
  const { registryId, index } = await allocateRevocationIndex(currentUnit().tenant, credentialDefinitionId)
  return { revocationRegistryDefinitionId: registryId, revocationRegistryIndex: index }
}
