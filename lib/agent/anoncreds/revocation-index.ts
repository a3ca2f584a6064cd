/** The place of a credential in a revocation registry, as Credo takes it. */
import { takeRevocationIndex } from '../../revocation/take-index.ts'
import { currentUnit } from '../../store/transaction.ts'

export interface RevocationIndex {
  revocationRegistryDefinitionId: string
  revocationRegistryIndex: number
}

/** The next free index of the definition's registries, for one offer. Throws `revocation.no_index`, `store.unavailable`. */
export const nextRevocationIndex = async (credentialDefinitionId: string): Promise<RevocationIndex> => {
  const { registryId, index } = await takeRevocationIndex(currentUnit().tenant, credentialDefinitionId)
  return { revocationRegistryDefinitionId: registryId, revocationRegistryIndex: index }
}
