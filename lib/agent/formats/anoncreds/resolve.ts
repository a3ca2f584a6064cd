/** Reads public objects of any issuer through the registries, and validates them. */
import type { AnonCredsCredentialDefinition, AnonCredsSchema } from '@credo-ts/anoncreds'
import * as v from 'valibot'
import { AgentError } from '../../../errors.ts'
import * as objects from '../../../records/anoncreds-objects.ts'
import { transaction } from '../../../store/transaction.ts'
import { currentAgent, type TenantAgent } from '../../credo/index.ts'
import { isAbsent, type Resolution } from './resolution.ts'

/** Undefined if the object does not exist. Throws `registry.unavailable` if that is unknown. */
const checked = <T>(schema: v.GenericSchema<unknown, T>, found: unknown, { resolutionMetadata }: Resolution) => {
  if (found !== undefined) {
    const result = v.safeParse(schema, found)
    return result.success ? result.output : undefined
  }
  if (isAbsent(resolutionMetadata)) return undefined
  throw new AgentError('registry.unavailable', 'the registry of the object does not answer')
}

/** In the running unit of work. */
export const resolveSchema = async (agent: TenantAgent, schemaId: string): Promise<AnonCredsSchema | undefined> => {
  const found = await agent.modules.anoncreds.getSchema(schemaId)
  return checked(objects.AnonCredsSchema, found.schema, found)
}

const resolveDefinition = async (
  agent: TenantAgent,
  credentialDefinitionId: string,
): Promise<AnonCredsCredentialDefinition | undefined> => {
  const found = await agent.modules.anoncreds.getCredentialDefinition(credentialDefinitionId)
  return checked(objects.AnonCredsCredentialDefinition, found.credentialDefinition, found) as
    | AnonCredsCredentialDefinition
    | undefined
}

const notFound = () => new AgentError('resource.not_found', 'there is no such object')

/** A schema of any issuer, read for `tenant`. Throws `resource.not_found`, `registry.unavailable`. */
export const requireSchema = async (tenant: string, schemaId: string): Promise<AnonCredsSchema> => {
  const schema = await transaction(tenant, async () => resolveSchema(await currentAgent(), schemaId))
  if (schema === undefined) throw notFound()
  return schema
}

/** A credential definition of any issuer, read for `tenant`. Throws `resource.not_found`, `registry.unavailable`. */
export const requireDefinition = async (
  tenant: string,
  credentialDefinitionId: string,
): Promise<AnonCredsCredentialDefinition> => {
  const definition = await transaction(tenant, async () =>
    resolveDefinition(await currentAgent(), credentialDefinitionId),
  )
  if (definition === undefined) throw notFound()
  return definition
}
