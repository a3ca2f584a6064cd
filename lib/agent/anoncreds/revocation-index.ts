/** The place of a credential in a revocation registry, as Credo takes it. */
import { DEFAULT_REGISTRY_SIZE } from '../../revocation/registry-item.ts'
import { takeRevocationIndex } from '../../revocation/take-index.ts'
import { currentUnit } from '../../store/transaction.ts'
import { findDefinition } from './definition-records.ts'

export interface RevocationIndex {
  revocationRegistryDefinitionId: string
  revocationRegistryIndex: number
}

/** The next free index of the definition's registries, for one offer. Throws `revocation.no_index`, `store.unavailable`. */
export const nextRevocationIndex = async (credentialDefinitionId: string): Promise<RevocationIndex> => {
  const unit = currentUnit()
  const firstSize = async () => {
    const definition = await findDefinition(unit, credentialDefinitionId)
    return definition && (definition.revocationRegistrySize ?? DEFAULT_REGISTRY_SIZE)
  }
  const { registryId, index } = await takeRevocationIndex(unit.tenant, credentialDefinitionId, firstSize)
  return { revocationRegistryDefinitionId: registryId, revocationRegistryIndex: index }
}
