/** Publishes the agent's schemas through their issuer's registry. */
import { AnonCredsSchemaRecord, AnonCredsSchemaRepository } from '@credo-ts/anoncreds'
import type * as v from 'valibot'
import { AgentError, invalidField } from '../../../errors.ts'
import type { CreateSchema } from '../../../interface/anoncreds.ts'
import { isSameSet } from '../../../records/anoncreds-objects.ts'
import { digest } from '../../../store/keys.ts'
import { currentAgent } from '../../credo/index.ts'
import { issuerOf } from '../../dids/index.ts'
import { registryOf } from './registries.ts'

type NewSchema = v.InferOutput<(typeof CreateSchema)['body']>

/**
 * Publishes a schema in the running unit of work, or returns the equal existing one. An issuer, name and version has
 * one schema, whose attributes have no order. `action`: an operator must write `ledgerTransaction`; a repeated call
 * returns `finished` once the ledger has exactly this schema. Throws `request.invalid`, `schema.exists` if it has other
 * attributes.
 */
export const createSchema = async ({ issuerId: named, name, version, attributes }: NewSchema) => {
  const agent = await currentAgent()
  const issuerId = await issuerOf(agent, named)
  const registry = registryOf(issuerId, 'issuerId')
  const schemas = agent.context.resolve(AnonCredsSchemaRepository)
  const id = recordIdOf(issuerId, name, version)
  const known = await schemas.findById(agent.context, id)
  const attrNames =
    known !== null && isSameSet(known.schema.attrNames, attributes) ? known.schema.attrNames : attributes
  const schema = { issuerId, name, version, attrNames }
  const { schemaState, registrationMetadata } = await registry.registerSchema(agent.context, { schema, options: {} })
  if (schemaState.state === 'failed') throw invalidField('issuerId', schemaState.reason)
  const { state, schemaId } = schemaState
  if (state === 'wait') throw new AgentError('internal', `a registry of schemas returned ${state}`)
  if (state === 'action') return { state, schemaId, schema, ledgerTransaction: registrationMetadata.transaction }
  if (known !== null && known.schemaId !== schemaId)
    throw new AgentError('schema.exists', 'the issuer has a schema of this name and version with other attributes')
  // Some schemas were stored under other ids.
  if (known === null && (await schemas.findBySchemaId(agent.context, schemaId)) === null)
    await schemas.save(
      agent.context,
      new AnonCredsSchemaRecord({ id, schemaId, schema, methodName: registry.methodName }),
    )
  return { state, schemaId, schema }
}

/** Derived from the unique key of a schema, so that concurrent requests create one record. */
const recordIdOf = (...key: string[]): string => digest(JSON.stringify(key))
