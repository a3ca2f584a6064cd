/** GetSchemaById: reads the agent's own schemas from the table, other ones through the registry of their id. */
import { query } from '../lib/http/query.ts'
import { GetSchemaById } from '../lib/interface/anoncreds.ts'
import { schemaRecords } from '../lib/records/anoncreds-kinds.ts'
import { readTagged } from '../lib/store/record-reads.ts'

export const getSchemaById = query(GetSchemaById, async ({ agent, path: { schemaId } }) => {
  const [own] = await readTagged(agent, schemaRecords, 'schemaId', schemaId)
  const schema = own?.value.schema ?? (await schemaOfRegistry(agent, schemaId))
  return { schemaId, schema, resolutionMetadata: {}, schemaMetadata: {} }
})

/** Credo is loaded only for this: reading an own schema is quicker without it. */
const schemaOfRegistry = async (agent: string, schemaId: string) =>
  (await import('../lib/agent/compose-registries.ts')).requireSchema(agent, schemaId)
