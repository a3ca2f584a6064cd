/**
 * The repository of DIDs. Several DIDs of other agents may have the same key, because anybody can write it into a
 * document.
 */

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
import { Bounded } from '../../bounded.ts'
import { memorySizeOf } from '../../json.ts'
import { handshakePartExpiry, mayOutlive, OF_UNFINISHED_HANDSHAKE } from '../../records/handshake-expiry.ts'
import { currentUnit } from '../../store/transaction.ts'
import { tenantOf } from '../credo/index.ts'
import type { Ed25519Key } from '../keys/index.ts'
import { deepFreeze } from './did-resolvers.ts'

/** In bytes, enough for about 1,800 average records. Other agents choose the size of their DID documents. */
const MAX_KNOWN = 5 * 1024 * 1024

/** DID records in the memory of the process, by tenant and query. */
export class KnownDids extends Bounded<string, readonly DidRecord[]> {
  constructor() {
    super(MAX_KNOWN, Number.POSITIVE_INFINITY, memorySizeOf)
  }
}

/**
 * A DID's record never changes, so a process reads it once. This covers DIDs of this agent, and DIDs that name their
 * document by its hash (did:peer:1, and the short form of did:peer:4). Those of an unfinished handshake expire
 * (lib/agent/connections/unsolicited-requests.ts): no connection names them then.
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
    return did === undefined || method !== undefined ? read() : this.#readOnce(agentContext, `created ${did}`, read)
  }

  override async findCreatedDidByRecipientKey(agentContext: AgentContext, key: Kms.PublicJwk) {
    const [record] = await this.#readOnce(agentContext, `created by key ${key.fingerprint}`, async () => {
      const record = await super.findCreatedDidByRecipientKey(agentContext, key)
      return record === null ? [] : [record]
    })
    return record ?? null
  }

  /** Credo's resolver of did:peer calls this for a document that is not in the DID. */
  override findAllByDid(agentContext: AgentContext, did: string): Promise<DidRecord[]> {
    return this.#readOnce(agentContext, did, () => super.findAllByDid(agentContext, did))
  }

  /** Stores a DID of another agent once for each key. Throws a CredoError if the key has too many. */
  override async save(agentContext: AgentContext, record: DidRecord): Promise<void> {
    if (record.role === DidDocumentRole.Received && (await isStored(agentContext, record))) return
    await super.save(agentContext, record)
  }

  /** Throws, because other processes would keep the former record in memory. */
  override update(): never {
    throw new CredoError('the record of a DID does not change')
  }

  override updateByIdWithLock = this.update
  override delete = this.update
  override deleteById = this.update

  /**
   * Only Credo's handshakes call this, to reject a sender whose key is in a known document. With that, anybody could
   * block another agent. Connections do not need unique keys: see `AgentConnectionService.findByKeys`.
   */
  override async findReceivedDidByRecipientKey(): Promise<DidRecord | null> {
    return null
  }

  /**
   * Reads until a record is found, freezes it because it is shared, and caches it when the reading unit of work
   * commits.
   */
  async #readOnce(agentContext: AgentContext, what: string, read: () => Promise<DidRecord[]>): Promise<DidRecord[]> {
    const key = `${tenantOf(agentContext)} ${what}`
    const known = this.#known.get(key)
    if (known !== undefined) return [...known]
    const records = deepFreeze(await read())
    if (records.length > 0) currentUnit().afterCommit(() => this.#known.set(key, records))
    return [...records]
  }
}

/** DIDs of other agents with this key. */
export const didsWithKey = (agentContext: AgentContext, key: Ed25519Key): Promise<DidRecord[]> =>
  didsOfKey(agentContext, key.fingerprint)

const didsOfKey = (agentContext: AgentContext, fingerprint: string): Promise<DidRecord[]> =>
  agentContext
    .resolve(DidRepository)
    .findByQuery(agentContext, { recipientKeyFingerprints: [fingerprint], role: DidDocumentRole.Received })

/** Whether a record belongs to this DID in any of its forms (a did:peer:4 has two). */
export const isOfDid = (record: DidRecord, did: string | undefined): boolean =>
  did !== undefined && (record.did === did || (record.getTags().alternativeDids ?? []).includes(did))

/**
 * Maximum number of DIDs of another agent's key. Each message of the key reads them all, and they stay after their
 * connection is deleted.
 */
const MAX_DIDS_OF_KEY = 50

/**
 * Whether another agent's DID is stored already under its key, for good or for as long as the running handshake may
 * take: a wallet with one key names the same DID in each handshake. Throws a CredoError if the key has too many other
 * DIDs.
 */
const isStored = async (agentContext: AgentContext, record: DidRecord): Promise<boolean> => {
  const [fingerprint] = record.getTags().recipientKeyFingerprints ?? []
  if (fingerprint === undefined) return false
  const ofKey = await didsOfKey(agentContext, fingerprint)
  const same = ofKey.filter((known) => isOfDid(known, record.did))
  if (same.some((known) => known.getTag(OF_UNFINISHED_HANDSHAKE) !== true)) return true
  const shared = sharing().dids
  const lasting = same.find(({ createdAt }) => mayOutlive(handshakePartExpiry(createdAt), new Date()))
  if (shared !== undefined && lasting !== undefined) {
    shared.push(lasting.id)
    return true
  }
  if (ofKey.length >= MAX_DIDS_OF_KEY) throw new CredoError('the key has too many DIDs already')
  return false
}

const sharing = () => currentUnit().slot(isStored, (): { dids?: string[] } => ({}))

/**
 * Lets the running handshake, which expires unless it is completed, share DIDs of other such handshakes. Returns the
 * ids of the records that it shares: whoever completes first takes their expiry away.
 */
export const shareDids = (): string[] => {
  const shared = sharing()
  shared.dids ??= []
  return shared.dids
}

/**
 * Stores another agent's DID under the key that was authenticated, and under no other key of its document. Throws as
 * `save`.
 */
export const storeTheirDid = async (
  agentContext: AgentContext,
  theirs: { did: string; didDocument?: DidDocument },
  key: Ed25519Key,
): Promise<void> => {
  const alternativeDids = isValidPeerDid(theirs.did) ? getAlternativeDidsForPeerDid(theirs.did) : undefined
  const tags = { recipientKeyFingerprints: [key.fingerprint], ...(alternativeDids && { alternativeDids }) }
  await agentContext.resolve(DidRepository).storeReceivedDid(agentContext, { ...theirs, tags })
}
