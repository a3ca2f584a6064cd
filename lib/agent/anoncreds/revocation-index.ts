/** The position of a credential in a revocation registry, in Credo's form. */
import { takeRevocationIndex } from '../../revocation/take-index.ts'
import { currentUnit } from '../../store/transaction.ts'

export interface RevocationIndex {
  revocationRegistryDefinitionId: string
  revocationRegistryIndex: number
}

/** Takes the next free index of the definition's registries for an offer. Throws `revocation.no_index`, `store.unavailable`. */
export const nextRevocationIndex = async (credentialDefinitionId: string): Promise<RevocationIndex> => {
  const { registryId, index } = await takeRevocationIndex(currentUnit().tenant, credentialDefinitionId)
  return { revocationRegistryDefinitionId: registryId, revocationRegistryIndex: index }
}
