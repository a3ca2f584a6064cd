/** The records of DIDs. Several DIDs of other agents may name the same key, because anybody can write it into a document. */
import {
  type AgentContext,
  CredoError,
  type DependencyManager,
  type DidDocument,
  DidDocumentRole,
  type DidRecord,
  DidRepository,
  EventEmitter,
  getAlternativeDidsForPeerDid,
  InjectionSymbols,
  isValidPeerDid,
  type Kms,
} from '@credo-ts/core'
import { Bounded } from '../bounded.ts'
import { memorySizeOf } from '../json.ts'
import { currentUnit } from '../store/transaction.ts'
import { deepFreeze } from './did-resolvers.ts'
import type { Ed25519Key } from './keys/ed25519-key.ts'
import { tenantOf } from './tenant-contexts.ts'

/** Bytes, as many as some 1,800 usual records: others choose how large the documents of their DIDs are. */
const MAX_KNOWN = 5 * 1024 * 1024

/** Records of DIDs that a process keeps in memory, by tenant and what they were looked up by. */
export class KnownDids extends Bounded<string, readonly DidRecord[]> {
  constructor() {
    super(MAX_KNOWN, Number.POSITIVE_INFINITY, memorySizeOf)
  }
}

/**
 * What the record of a DID says is never changed, so a process reads it once: this applies to DIDs of this agent, and to those that name
 * their document by its hash (did:peer:1, and did:peer:4 in its short form). Those of a handshake that comes to nothing expire
 * (handshake-expiry.ts): no connection names them then.
 */
export class AgentDidRepository extends DidRepository {
  readonly #known: KnownDids

  constructor(services: Pick<DependencyManager, 'resolve'>, known: KnownDids) {
    super(services.resolve(InjectionSymbols.StorageService), services.resolve(EventEmitter))
    this.#known = known
  }

  override async getCreatedDids(agentContext: AgentContext, query: { method?: string; did?: string }) {
    const { did, method } = query
    const read = () => super.getCreatedDids(agentContext, query)
    return did === undefined || method !== undefined ? read() : this.#once(agentContext, `created ${did}`, read)
  }

  override async findCreatedDidByRecipientKey(agentContext: AgentContext, key: Kms.PublicJwk) {
    const [record] = await this.#once(agentContext, `created by key ${key.fingerprint}`, async () => {
      const found = await super.findCreatedDidByRecipientKey(agentContext, key)
      return found === null ? [] : [found]
    })
    return record ?? null
  }

  /** Asked by Credo's resolver of did:peer for a document that the DID does not carry. */
  override findAllByDid(agentContext: AgentContext, did: string): Promise<DidRecord[]> {
    return this.#once(agentContext, did, () => super.findAllByDid(agentContext, did))
  }

  /** Throws, because the caches of other processes would be wrong. */
  override update(): never {
    throw new CredoError('the record of a DID does not change')
  }

  override updateByIdWithLock = this.update
  override delete = this.update
  override deleteById = this.update

  /**
   * Asked by Credo's handshakes only, which refuse a sender whose key is in a document that they know. Anybody could so keep another
   * agent from connecting. Connections need no key of their own: see `ConnectionService.findByKeys`.
   */
  override async findReceivedDidByRecipientKey(): Promise<DidRecord | null> {
    return null
  }

  /** Reads until there is something, which is then shared, and so frozen. It is remembered when the unit of work that has read it commits. */
  async #once(agentContext: AgentContext, what: string, read: () => Promise<DidRecord[]>): Promise<DidRecord[]> {
    const key = `${tenantOf(agentContext)} ${what}`
    const known = this.#known.get(key)
    if (known !== undefined) return [...known]
    const found = deepFreeze(await read())
    if (found.length > 0) currentUnit().afterCommit(() => this.#known.set(key, found))
    return [...found]
  }
}

/** The DIDs of other agents that are known by this key. */
export const didsWithKey = (agentContext: AgentContext, key: Ed25519Key): Promise<DidRecord[]> =>
  agentContext
    .resolve(DidRepository)
    .findByQuery(agentContext, { recipientKeyFingerprints: [key.fingerprint], role: DidDocumentRole.Received })

/** Whether a record is of this DID, in whichever of its spellings (a did:peer:4 has two). */
export const isOfDid = (record: DidRecord, did: string | undefined): boolean =>
  did !== undefined && (record.did === did || (record.getTags().alternativeDids ?? []).includes(did))

/** Stores the DID of another agent for the key that has proven itself, and for no other that its document names. */
export const storeTheirDid = async (
  agentContext: AgentContext,
  theirs: { did: string; didDocument?: DidDocument },
  { fingerprint }: Ed25519Key,
): Promise<void> => {
  const alternativeDids = isValidPeerDid(theirs.did) ? getAlternativeDidsForPeerDid(theirs.did) : undefined
  const tags = { recipientKeyFingerprints: [fingerprint], ...(alternativeDids && { alternativeDids }) }
  await agentContext.resolve(DidRepository).storeReceivedDid(agentContext, { ...theirs, tags })
}
