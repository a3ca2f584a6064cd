/** GetCredentialDefinitionById: reads the agent's own definitions from the table, and all others through the registry that the id names. */
import { query } from '../lib/http/query.ts'
import { GetCredentialDefinitionById } from '../lib/interface/anoncreds.ts'
import { toRecordJson } from '../lib/records/record-json.ts'
import { readOwnDefinition } from '../lib/store/credential-definitions.ts'

export const getCredentialDefinitionById = query(
  GetCredentialDefinitionById,
  async ({ agent, path: { credentialDefinitionId } }) => {
    const own = await readOwnDefinition(agent, credentialDefinitionId)
    if (own !== undefined) {
      const { record, ...parts } = own
      return { ...toRecordJson(record), ...parts, ...NO_METADATA }
    }
    return {
      credentialDefinitionId,
      credentialDefinition: await resolve(agent, credentialDefinitionId),
      ...NO_METADATA,
    }
  },
)

const NO_METADATA = { resolutionMetadata: {}, credentialDefinitionMetadata: {} }

/** Loaded on demand, because reading own definitions does not need Credo. */
const resolve = async (agent: string, credentialDefinitionId: string): Promise<object> => {
  const { requireDefinition } = await import('../lib/agent/compose-registries.ts')
  return requireDefinition(agent, credentialDefinitionId)
}
