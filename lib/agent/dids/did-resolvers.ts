/**
 * Resolvers and caches of DID documents: documents that are contained in the DID are built once, frozen and shared;
 * others are cached for a time.
 */
import {
  type AgentContext,
  type Cache,
  type DidResolutionResult,
  JwkDidResolver,
  KeyDidResolver,
  PeerDidResolver,
} from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import { memorySizeOf } from '../../json.ts'
import { MAX_IDENTIFIER } from '../envelopes/index.ts'

/** Other agents choose their DIDs: one of 4,096 characters takes about 10 KB of memory. */
const MAX_DOCUMENTS = 500

const documents = new Bounded<string, DidResolutionResult>(MAX_DOCUMENTS)

/** Freezes an object and everything in it. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}

/** The document of a DID that always resolves to the same one. Failures are not cached. */
const resolveOnce = async (did: string, resolve: () => Promise<DidResolutionResult>): Promise<DidResolutionResult> => {
  const known = documents.get(did)
  if (known !== undefined) return known
  const resolved = await resolve()
  return resolved.didDocument === null ? resolved : documents.set(did, deepFreeze(resolved))
}

const INVALID: DidResolutionResult = {
  didDocument: null,
  didDocumentMetadata: {},
  didResolutionMetadata: { error: 'invalidDid' },
}

export class SharedKeyDidResolver extends KeyDidResolver {
  override async resolve(agentContext: AgentContext, did: string): Promise<DidResolutionResult> {
    return did.length > MAX_IDENTIFIER ? INVALID : resolveOnce(did, () => super.resolve(agentContext, did))
  }
}

export class BoundedJwkDidResolver extends JwkDidResolver {
  override async resolve(...[agentContext, did, ...more]: Parameters<JwkDidResolver['resolve']>) {
    return did.length > MAX_IDENTIFIER ? INVALID : super.resolve(agentContext, did, ...more)
  }
}

const KEY = 'z[1-9a-km-zA-HJ-NP-Z]{5,200}'

/**
 * Credo's pattern, except for its dot, which matches any character there: this one is unambiguous, and so takes linear
 * time.
 * https://identity.foundation/peer-did-method-spec/#abnf-for-peer-dids
 */
const PEER_DID = new RegExp(
  `^did:peer:(?:[01]${KEY}|2(?:\\.[AEVID]${KEY})+(?:\\.S[0-9a-zA-Z=]*)*|4z[1-9a-km-zA-HJ-NP-Z]{46}(?::z[1-9a-km-zA-HJ-NP-Z]{6,})?)$`,
)

/** All but method 1 and the short form of 4, whose documents are in the tenant's table. */
const CARRIES_DOCUMENT = /^did:peer:(?:[02]|4[^:]+:)/

export class LinearPeerDidResolver extends PeerDidResolver {
  override async resolve(agentContext: AgentContext, did: string): Promise<DidResolutionResult> {
    if (did.length > MAX_IDENTIFIER || !PEER_DID.test(did)) return INVALID
    const resolve = () => super.resolve(agentContext, did)
    return CARRIES_DOCUMENT.test(did) ? resolveOnce(did, resolve) : resolve()
  }
}

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
