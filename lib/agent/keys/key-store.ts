/** Where the private keys of an agent are kept: what the key management service asks of its store. */
import type { AgentContext, Kms } from '@credo-ts/core'

/**
 * A store of private keys, separate for each agent context (`agentContext.contextCorrelationId`, the tenant).
 * It hands out and takes plain JWKs; sealing them at rest is the store's own business.
 */
export interface KeyStore {
  /** The private key, or `null` if this agent has none with that id. */
  get(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate | null>
  /**
   * Keeps a new key. A key that exists is never replaced: throws `KeyManagementKeyExistsError`, or `store.conflict` where somebody else has
   * made it meanwhile.
   */
  insert(agentContext: AgentContext, keyId: string, jwk: Kms.KmsJwkPrivate): Promise<void>
  /** Removes a key; tells whether there was one. */
  delete(agentContext: AgentContext, keyId: string): Promise<boolean>
}
