/** Schemas: publishes the agent's own through their issuer's registry, and reads others. */
import { AnonCredsSchemaRecord, AnonCredsSchemaRepository } from '@credo-ts/anoncreds'
import { AgentError, invalidField } from '../../errors.ts'
import type { AnonCredsSchema } from '../../records/anoncreds-objects.ts'
import { digest } from '../../store/keys.ts'
import { currentAgent } from '../agent.ts'
import { registryOf } from './registries.ts'
import { issuerOf } from './webvh-issuer.ts'

export interface NewSchema {
  issuerId?: string | undefined
  name: string
  version: string
  attributes: string[]
}

export interface SchemaState {
  /** `action`: an operator has to write `ledgerTransaction`. A repeated call returns `finished` once the ledger has exactly this schema. */
  state: 'finished' | 'action'
  schemaId: string
  schema: AnonCredsSchema
  ledgerTransaction?: unknown
}

/** Publishes a schema in the running unit of work, or returns the equal existing one. Throws `request.invalid`. */
export const createSchema = async ({ issuerId: named, name, version, attributes }: NewSchema): Promise<SchemaState> => {
  const agent = await currentAgent()
  const issuerId = await issuerOf(agent, named)
  const registry = registryOf(issuerId, 'issuerId')
  const schema = { issuerId, name, version, attrNames: attributes }
  const { schemaState, registrationMetadata } = await registry.registerSchema(agent.context, { schema, options: {} })
  if (schemaState.state === 'failed') throw invalidField('issuerId', schemaState.reason)
  const { state, schemaId } = schemaState
  if (state === 'wait' || schemaId === undefined)
    throw new AgentError('internal', `a registry of schemas answers ${state}`)
  if (state === 'action') return { state, schemaId, schema, ledgerTransaction: registrationMetadata.transaction }
  const schemas = agent.context.resolve(AnonCredsSchemaRepository)
  if ((await schemas.findBySchemaId(agent.context, schemaId)) === null)
    await schemas.save(
      agent.context,
      // Derived from the schema's id, so that concurrent requests create one record.
      new AnonCredsSchemaRecord({ id: digest(schemaId), schemaId, schema, methodName: registry.methodName }),
    )
  return { state, schemaId, schema }
}
