/** Schemas: the agent's own are published by the registry of their issuer, others' are read through theirs. */
import { AnonCredsSchemaRecord, AnonCredsSchemaRepository } from '@credo-ts/anoncreds'
import { AgentError, invalidField } from '../../errors.ts'
import type { AnonCredsSchema } from '../../records/anoncreds-objects.ts'
import { digest } from '../../store/keys.ts'
import { currentAgent } from '../agent.ts'
import { issuerOf } from './issuers.ts'
import { registryOf } from './registries.ts'

export interface NewSchema {
  issuerId?: string | undefined
  name: string
  version: string
  attributes: string[]
}

export interface SchemaState {
  state: 'finished'
  schemaId: string
  schema: AnonCredsSchema
}

/** Publishes a schema in the running unit of work. The same one again is the one that is there. Throws `request.invalid`. */
export const createSchema = async ({ issuerId: named, name, version, attributes }: NewSchema): Promise<SchemaState> => {
  const agent = await currentAgent()
  const issuerId = await issuerOf(agent, named)
  const registry = registryOf(issuerId, 'issuerId')
  const schema = { issuerId, name, version, attrNames: attributes }
  const { schemaState } = await registry.registerSchema(agent.context, { schema, options: {} })
  if (schemaState.state === 'failed') throw invalidField('issuerId', schemaState.reason)
  const { schemaId } = schemaState
  if (schemaState.state !== 'finished' || schemaId === undefined)
    throw new AgentError('internal', `a registry of schemas answers ${schemaState.state}`)
  const schemas = agent.context.resolve(AnonCredsSchemaRepository)
  if ((await schemas.findBySchemaId(agent.context, schemaId)) === null)
    await schemas.save(
      agent.context,
      // An id that follows from the schema's, so that two concurrent requests make one record.
      new AnonCredsSchemaRecord({ id: digest(schemaId), schemaId, schema, methodName: registry.methodName }),
    )
  return { state: 'finished', schemaId, schema }
}
