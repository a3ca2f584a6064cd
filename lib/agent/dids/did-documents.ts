/**
 * DID documents in memory: documents that a DID contains are built once, frozen and shared; others are cached for a
 * limited time.
 */
import type { AgentContext, Cache, DidResolutionResult } from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import { memorySizeOf } from '../../json.ts'
import { MAX_IDENTIFIER } from '../envelopes/index.ts'

/** Other agents choose their DIDs, of 4,096 characters at most. */
const MAX_DOCUMENTS = 500

const documents = new Bounded<string, DidResolutionResult>(MAX_DOCUMENTS)

/** Freezes an object and everything in it. */
export const deepFreeze = <T>(value: T): T => {
  if (Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value as object)) deepFreeze(member)
  return value
}

type Resolve = () => Promise<DidResolutionResult>

export const INVALID: DidResolutionResult = {
  didDocument: null,
  didDocumentMetadata: {},
  didResolutionMetadata: { error: 'invalidDid' },
}

/** Resolves a DID that is not too long. */
export const resolveBounded = async (did: string, resolve: Resolve): Promise<DidResolutionResult> =>
  did.length > MAX_IDENTIFIER ? INVALID : resolve()

/** The same, cached, for a DID that always resolves to the same document. Failures are not cached. */
export const resolveOnce = (did: string, resolve: Resolve): Promise<DidResolutionResult> =>
  resolveBounded(did, async () => {
    const known = documents.get(did)
    if (known !== undefined) return known
    const resolved = await resolve()
    return resolved.didDocument === null ? resolved : documents.set(did, deepFreeze(resolved))
  })

/** In bytes: other agents choose the size of their documents, and how many a message names. */
const MAX_BYTES = 5 * 1024 * 1024

/** Used by Credo's DID resolver only. */
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
