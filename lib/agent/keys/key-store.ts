/** The interface between the key management service and its store of private keys. */
import type { AgentContext, Kms } from '@credo-ts/core'

/**
 * A store of private keys, separate for each agent context (`agentContext.contextCorrelationId`, the tenant). Its interface has plain JWKs; sealing
 * them at rest is left to the implementation.
 */
export interface KeyStore {
  /** The private key, or `null` if this agent has none with that id. */
  get(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate | null>
  /**
   * Stores a new key. Existing keys are never replaced: throws `KeyManagementKeyExistsError`, or `store.conflict` if another process created it
   * concurrently.
   */
  insert(agentContext: AgentContext, keyId: string, jwk: Kms.KmsJwkPrivate): Promise<void>
  /** Deletes a key. Returns whether there was one. */
  delete(agentContext: AgentContext, keyId: string): Promise<boolean>
}
