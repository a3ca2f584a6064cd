/** The wallet's keys, kept in memory for as long as the wallet runs. */
import { type AgentContext, Kms } from '@credo-ts/core'
import type { KeyStore } from '../../lib/agent/keys/sealed-key-store.ts'

export class MemoryKeyStore implements KeyStore {
  readonly #keys = new Map<string, Kms.KmsJwkPrivate>()

  async get(agentContext: AgentContext, keyId: string) {
    return this.#keys.get(address(agentContext, keyId)) ?? null
  }

  async insert(agentContext: AgentContext, keyId: string, jwk: Kms.KmsJwkPrivate) {
    const key = address(agentContext, keyId)
    if (this.#keys.has(key)) throw new Kms.KeyManagementKeyExistsError(keyId, 'memory')
    this.#keys.set(key, jwk)
  }

  async delete(agentContext: AgentContext, keyId: string) {
    return this.#keys.delete(address(agentContext, keyId))
  }
}

const address = ({ contextCorrelationId }: AgentContext, keyId: string) => JSON.stringify([contextCorrelationId, keyId])
