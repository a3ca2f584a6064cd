/** DIDs of other agents, of which any number may name the same key: anybody may name anybody's key in a document. */
import {
  type AgentContext,
  type DependencyManager,
  type DidDocument,
  DidDocumentRole,
  type DidRecord,
  DidRepository,
  EventEmitter,
  getAlternativeDidsForPeerDid,
  InjectionSymbols,
  isValidPeerDid,
} from '@credo-ts/core'
import type { Ed25519Key } from './keys/ed25519-key.ts'

export class AgentDidRepository extends DidRepository {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(services.resolve(InjectionSymbols.StorageService), services.resolve(EventEmitter))
  }

  /**
   * Asked by Credo's handshakes only, which refuse a sender whose key is in a document that they know. Anybody could so keep another
   * agent from connecting. Connections need no key of their own: see `ConnectionService.findByKeys`.
   */
  override async findReceivedDidByRecipientKey(): Promise<DidRecord | null> {
    return null
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
