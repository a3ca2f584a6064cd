/** Reads public objects of any issuer through the registries, and validates them. */
import type { AnonCredsCredentialDefinition, AnonCredsSchema } from '@credo-ts/anoncreds'
import * as v from 'valibot'
import { AgentError } from '../../../errors.ts'
import * as objects from '../../../records/anoncreds-objects.ts'
import { transaction } from '../../../store/transaction.ts'
import { currentAgent, type TenantAgent } from '../../credo/index.ts'
import { unreadHost } from '../../web/index.ts'
import { isNotFound, type Resolution } from './resolution.ts'

/** Undefined if the object does not exist. Throws `registry.unavailable` if it could not be read. */
const checked = <T>(schema: v.GenericSchema<unknown, T>, object: unknown, { resolutionMetadata }: Resolution) => {
  if (object !== undefined) {
    const result = v.safeParse(schema, object)
    return result.success ? result.output : undefined
  }
  if (isNotFound(resolutionMetadata)) return undefined
  const host = unreadHost()
  throw new AgentError('registry.unavailable', `${host ?? 'the registry of the object'} does not respond`, { host })
}

/** In the running unit of work. */
export const resolveSchema = async (agent: TenantAgent, schemaId: string): Promise<AnonCredsSchema | undefined> => {
  const result = await agent.modules.anoncreds.getSchema(schemaId)
  return checked(objects.AnonCredsSchema, result.schema, result)
}

const resolveDefinition = async (
  agent: TenantAgent,
  credentialDefinitionId: string,
): Promise<AnonCredsCredentialDefinition | undefined> => {
  const result = await agent.modules.anoncreds.getCredentialDefinition(credentialDefinitionId)
  return checked(objects.AnonCredsCredentialDefinition, result.credentialDefinition, result) as
    | AnonCredsCredentialDefinition
    | undefined
}

const required = async <T>(tenant: string, resolve: (agent: TenantAgent) => Promise<T | undefined>): Promise<T> => {
  const object = await transaction(tenant, async () => resolve(await currentAgent()))
  if (object === undefined) throw new AgentError('resource.not_found', 'there is no such object')
  return object
}

/** A schema of any issuer, read for `tenant`. Throws `resource.not_found`, `registry.unavailable`. */
export const requireSchema = (tenant: string, schemaId: string): Promise<AnonCredsSchema> =>
  required(tenant, (agent) => resolveSchema(agent, schemaId))

/** A credential definition of any issuer, read for `tenant`. Throws `resource.not_found`, `registry.unavailable`. */
export const requireDefinition = (tenant: string, id: string): Promise<AnonCredsCredentialDefinition> =>
  required(tenant, (agent) => resolveDefinition(agent, id))
