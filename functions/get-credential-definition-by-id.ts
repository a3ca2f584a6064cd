/** GetCredentialDefinitionById: reads own definitions from the table, other ones through the registry of their id. */

import { type OwnDefinition, readOwnDefinition } from '../lib/anoncreds/credential-definitions.ts'
import { query } from '../lib/http/query.ts'
import { GetCredentialDefinitionById } from '../lib/interface/anoncreds.ts'
import { toRecordJson } from '../lib/records/record-json.ts'

export const getCredentialDefinitionById = query(GetCredentialDefinitionById, async ({ agent, path }) => {
  const own = await readOwnDefinition(agent, path.credentialDefinitionId)
  const definition = own ? toJson(own) : await definitionOfRegistry(agent, path.credentialDefinitionId)
  return { ...definition, resolutionMetadata: {}, credentialDefinitionMetadata: {} }
})

const toJson = ({ record, ...published }: OwnDefinition) => ({ ...toRecordJson(record), ...published })

/** Credo is loaded only for this: reading an own definition is quicker without it. */
const definitionOfRegistry = async (agent: string, credentialDefinitionId: string) => {
  const { requireDefinition } = await import('../lib/agent/compose-registries.ts')
  return { credentialDefinitionId, credentialDefinition: await requireDefinition(agent, credentialDefinitionId) }
}
