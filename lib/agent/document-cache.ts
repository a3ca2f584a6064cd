/** DID documents of others that can change, such as those of did:web: one cache for all agents of a process. */
import type { AgentContext, Cache } from '@credo-ts/core'
import { Bounded } from '../bounded.ts'
import { memorySizeOf } from '../json.ts'

/** Bytes: others choose how large their documents are, and how many a message names. */
const MAX_BYTES = 5 * 1024 * 1024

/** Credo's resolver of DIDs is the only one that asks it. */
export class DocumentCache implements Cache {
  readonly #documents = new Bounded<string, { value: unknown; until: number }>(
    MAX_BYTES,
    Number.POSITIVE_INFINITY,
    memorySizeOf,
  )

  async get<T>(_agentContext: AgentContext, key: string): Promise<T | null> {
    const cached = this.#documents.get(key)
    return cached !== undefined && Date.now() < cached.until ? (cached.value as T) : null
  }

  async set<T>(_agentContext: AgentContext, key: string, value: T, seconds = Number.POSITIVE_INFINITY): Promise<void> {
    this.#documents.set(key, { value, until: Date.now() + seconds * 1_000 })
  }

  async remove(_agentContext: AgentContext, key: string): Promise<void> {
    this.#documents.delete(key)
  }
}
