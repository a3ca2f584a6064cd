/**
 * DID documents in the memory of the process: those that are contained in the DID are built once, frozen and shared;
 * others are cached for a time.
 */
import { type AgentContext, type Cache, DidDocument, type DidResolutionResult, JsonTransformer } from '@credo-ts/core'
import { Bounded } from '../../bounded.ts'
import { memorySizeOf } from '../../json.ts'
import { MAX_IDENTIFIER } from '../envelopes/index.ts'

/** Other agents choose their DIDs: one of 4,096 characters takes about 10 KB of memory. */
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

const INVALID: DidResolutionResult = {
  didDocument: null,
  didDocumentMetadata: {},
  didResolutionMetadata: { error: 'invalidDid' },
}

/** The document of a DID that is not too long. */
export const resolveBounded = async (did: string, resolve: Resolve): Promise<DidResolutionResult> =>
  did.length > MAX_IDENTIFIER ? INVALID : resolve()

/** The same of a DID that always resolves to the same document. Failures are not cached. */
export const resolveOnce = (did: string, resolve: Resolve): Promise<DidResolutionResult> =>
  resolveBounded(did, async () => {
    const known = documents.get(did)
    if (known !== undefined) return known
    const resolved = await resolve()
    return resolved.didDocument === null ? resolved : documents.set(did, deepFreeze(resolved))
  })

const KEY = 'z[1-9a-km-zA-HJ-NP-Z]{5,200}'

/**
 * Credo's pattern, except for its dot, which matches any character there: this one is unambiguous, and so takes linear
 * time. It also has all characters of base64url.
 * https://identity.foundation/peer-did-method-spec/#abnf-for-peer-dids
 */
const PEER_DID = new RegExp(
  `^did:peer:(?:[01]${KEY}|2(?:\\.[AEVID]${KEY})+(?:\\.S[0-9a-zA-Z_=-]*)*|4z[1-9a-km-zA-HJ-NP-Z]{46}(?::z[1-9a-km-zA-HJ-NP-Z]{6,})?)$`,
)

/** All but method 1 and the short form of 4, whose documents are in the tenant's table. */
const CARRIES_DOCUMENT = /^did:peer:(?:[02]|4[^:]+:)/

export const carriesDocument = (did: string): boolean => CARRIES_DOCUMENT.test(did)

/**
 * The same services without `-` and `_`, which Credo's pattern does not have: in base64url they come of `>`, `?`, `~`
 * and other characters than ASCII, for which JSON has escapes.
 */
const withoutSymbols = (did: string): string =>
  did.replace(/(?<=\.S)[\w=-]*[_-][\w=-]*/g, (service) => {
    const json = Buffer.from(service, 'base64url').toString()
    const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
    return Buffer.from(json.replace(/[>?~\x7f-\uffff]/g, escaped)).toString('base64url')
  })

/** The document of a did:peer, which `resolve` reads; none where the DID is malformed. */
export const resolvePeerDid = async (
  did: string,
  resolve: (did: string) => Promise<DidResolutionResult>,
): Promise<DidResolutionResult> => {
  if (did.length > MAX_IDENTIFIER || !PEER_DID.test(did)) return INVALID
  if (!carriesDocument(did)) return resolve(did)
  const readable = did.startsWith('did:peer:2') ? withoutSymbols(did) : did
  return resolveOnce(did, async () => {
    const resolved = await resolve(readable)
    // Credo makes documents of a list's elements.
    if (Array.isArray(resolved.didDocument)) return INVALID
    if (readable === did || resolved.didDocument === null) return resolved
    const json = JSON.stringify(resolved.didDocument.toJSON()).replaceAll(readable, did)
    try {
      return { ...resolved, didDocument: JsonTransformer.fromJSON(JSON.parse(json), DidDocument) }
    } catch {
      // Unlike the document that Credo has made, one of JSON is validated.
      return INVALID
    }
  })
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
