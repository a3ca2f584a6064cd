/** The place of a credential in a revocation registry. */
import { AgentError } from '../../errors.ts'

export interface RevocationIndex {
  revocationRegistryDefinitionId: string
  revocationRegistryIndex: number
}

/** The next free index of the definition's registries, for one offer. Throws `store.unavailable` where none is ready. */
export const nextRevocationIndex = async (_credentialDefinitionId: string): Promise<RevocationIndex> => {
  throw new AgentError('store.unavailable', 'the credential definition has no revocation registry that is ready')
}
