/** The keys of lib/keys for Credo: those of an agent context are its tenant's. */
import { type AgentContext, Kms } from '@credo-ts/core'
import { isAgentError } from '../../errors.ts'
import {
  type KeyPurpose,
  type PrivateJwk,
  SealedKeys,
  sealedKeys as tenantKeys,
  type UnsealedKey,
} from '../../keys/index.ts'
import { tenantOf } from '../credo/index.ts'

/** A store of private keys for key management, separate for each agent context. Its interface has plain JWKs. */
export interface KeyStore {
  /** The private key, or `null` if this agent has none with that id. */
  get(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate | null>
  /**
   * Stores a new key. Existing keys are never replaced: throws `KeyManagementKeyExistsError`, or `store.conflict` if
   * another process created it concurrently.
   */
  insert(agentContext: AgentContext, keyId: string, jwk: PrivateJwk): Promise<void>
  /** Deletes a key. Returns whether there was one. */
  delete(agentContext: AgentContext, keyId: string): Promise<boolean>
}

/** Each method is that of `SealedKeys`, for the context's tenant. */
export class SealedKeyStore implements KeyStore {
  readonly #keys: SealedKeys

  constructor(keys = new SealedKeys()) {
    this.#keys = keys
  }

  get(agentContext: AgentContext, keyId: string): Promise<PrivateJwk | null> {
    return this.#keys.get(tenantOf(agentContext), keyId)
  }

  purposeOf(agentContext: AgentContext, keyId: string): Promise<KeyPurpose | undefined> {
    return this.#keys.purposeOf(tenantOf(agentContext), keyId)
  }

  first(agentContext: AgentContext, keyIds: readonly string[]): Promise<UnsealedKey | null> {
    return this.#keys.first(tenantOf(agentContext), keyIds)
  }

  async insert(agentContext: AgentContext, keyId: string, jwk: PrivateJwk): Promise<void> {
    try {
      await this.#keys.insert(tenantOf(agentContext), keyId, jwk)
    } catch (error) {
      if (!isAgentError(error, 'key.exists')) throw error
      throw new Kms.KeyManagementKeyExistsError(keyId, 'serverless-agent')
    }
  }

  addPurpose(agentContext: AgentContext, keyId: string, added: KeyPurpose): boolean {
    return this.#keys.addPurpose(tenantOf(agentContext), keyId, added)
  }

  expireNew(expiresAt: number): string[] {
    return this.#keys.expireNew(expiresAt)
  }

  removeExpiry(agentContext: AgentContext, keyId: string): void {
    this.#keys.removeExpiry(tenantOf(agentContext), keyId)
  }

  delete(agentContext: AgentContext, keyId: string): Promise<boolean> {
    return this.#keys.delete(tenantOf(agentContext), keyId)
  }
}

/** The keys of the process's agents. */
export const sealedKeys = new SealedKeyStore(tenantKeys)
