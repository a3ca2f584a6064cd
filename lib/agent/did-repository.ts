/** DIDs of other agents, of which any number may name the same key: anybody may name anybody's key in a document. */
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
import { currentUnit } from '../store/transaction.ts'
import type { Ed25519Key } from './keys/ed25519-key.ts'
import { deepFreeze } from './shared-documents.ts'
import { tenantOf } from './tenant-of.ts'

/** Records of DIDs that are kept in memory, by tenant and what they were looked up by. */
const MAX_KNOWN = 1_000

const known = new Bounded<string, readonly DidRecord[]>(MAX_KNOWN)

/**
 * Nothing changes or deletes a DID's record once it is written: one that was found is read once in a process. That holds for this agent's DIDs,
 * whose keys are its own, and for those that name their document by a hash (did:peer:1, and did:peer:4 in its short form).
 */
export class AgentDidRepository extends DidRepository {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(services.resolve(InjectionSymbols.StorageService), services.resolve(EventEmitter))
  }

  override async getCreatedDids(agentContext: AgentContext, query: { method?: string; did?: string }) {
    const { did, method } = query
    const read = () => super.getCreatedDids(agentContext, query)
    return did === undefined || method !== undefined ? read() : once(agentContext, `created ${did}`, read)
  }

  override async findCreatedDidByRecipientKey(agentContext: AgentContext, key: Kms.PublicJwk) {
    const [record] = await once(agentContext, `created by key ${key.fingerprint}`, async () => {
      const found = await super.findCreatedDidByRecipientKey(agentContext, key)
      return found === null ? [] : [found]
    })
    return record ?? null
  }

  /** Asked by Credo's resolver of did:peer for a document that the DID does not carry. */
  override findAllByDid(agentContext: AgentContext, did: string): Promise<DidRecord[]> {
    return once(agentContext, did, () => super.findAllByDid(agentContext, did))
  }

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
}

/** Reads records until there are some. They are shared from then on, so frozen, and remembered when the unit of work that read them has committed. */
const once = async (
  agentContext: AgentContext,
  what: string,
  read: () => Promise<DidRecord[]>,
): Promise<DidRecord[]> => {
  const key = `${tenantOf(agentContext)} ${what}`
  const remembered = known.get(key)
  if (remembered !== undefined) return [...remembered]
  const found = deepFreeze(await read())
  if (found.length > 0) currentUnit().afterCommit(() => known.set(key, found))
  return [...found]
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
