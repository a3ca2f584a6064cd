/** GetSchemaById: reads the agent's own schemas from the table, and all others through the registry that the id names. */
import { query } from '../lib/http/query.ts'
import { GetSchemaById } from '../lib/interface/anoncreds.ts'
import { schemaRecords } from '../lib/records/internal-records.ts'
import { readTagged } from '../lib/store/record-reads.ts'

export const getSchemaById = query(GetSchemaById, async ({ agent, path: { schemaId } }) => {
  const [own] = await readTagged(agent, schemaRecords, 'schemaId', schemaId)
  return { schemaId, schema: own?.value.schema ?? (await resolve(agent, schemaId)), ...NO_METADATA }
})

const NO_METADATA = { resolutionMetadata: {}, schemaMetadata: {} }

/** Loaded on demand, because reading own schemas does not need Credo. */
const resolve = async (agent: string, schemaId: string): Promise<object> => {
  const { requireSchema } = await import('../lib/agent/compose-registries.ts')
  return requireSchema(agent, schemaId)
}
