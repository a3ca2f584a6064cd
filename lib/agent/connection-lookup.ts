/** The connection that a message belongs to, by the keys of its envelope. */
import {
  type AgentContext,
  type DependencyManager,
  DidDocumentRole,
  type DidRecord,
  DidRepository,
  EventEmitter,
  InjectionSymbols,
  type Kms,
} from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommConnectionService,
  type DidCommInboundMessageContext,
} from '@credo-ts/didcomm'

type Key = Kms.PublicJwk<Kms.Ed25519PublicJwk>

/** The DIDs of other agents whose documents name this key. Anybody may name anybody's key in a document. */
export const didsWithKey = (agentContext: AgentContext, key: Key): Promise<DidRecord[]> =>
  agentContext
    .resolve(DidRepository)
    .findByQuery(agentContext, { recipientKeyFingerprints: [key.fingerprint], role: DidDocumentRole.Received })

/** Whether a record is of this DID, in whichever of its spellings (a did:peer:4 has two). */
export const isOfDid = (record: DidRecord, did: string | undefined): boolean =>
  did !== undefined && (record.did === did || (record.getTags().alternativeDids ?? []).includes(did))

/** Whether a message is of the DID that the other agent uses now: a former one may not change whose the connection is. */
export const isOfCurrentDid = async (
  { agentContext, senderKey }: DidCommInboundMessageContext,
  { theirDid }: DidCommConnectionRecord,
): Promise<boolean> =>
  senderKey !== undefined && (await didsWithKey(agentContext, senderKey)).some((record) => isOfDid(record, theirDid))

/** The connections that have, or had, the DID of one of our keys. */
export const connectionsOfOurKey = async (agentContext: AgentContext, key: Key): Promise<DidCommConnectionRecord[]> => {
  const ours = await agentContext.resolve(DidRepository).findCreatedDidByRecipientKey(agentContext, key)
  if (ours === null) return []
  return agentContext
    .resolve(DidCommConnectionRepository)
    .findByQuery(agentContext, { $or: [{ did: ours.did }, { previousDids: [ours.did] }] })
}

export class ConnectionLookup extends DidCommConnectionService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(InjectionSymbols.Logger),
      services.resolve(DidCommConnectionRepository),
      services.resolve(DidRepository),
      services.resolve(EventEmitter),
    )
  }

  /**
   * Credo looks for the one DID that has the sender's key: a second document with that key, which anybody can write, makes all
   * messages of the connection fail. This looks at the connections of our key, which has one, and at all DIDs of the sender's.
   */
  override async findByKeys(
    agentContext: AgentContext,
    { senderKey, recipientKey }: { senderKey: Key; recipientKey: Key },
  ): Promise<DidCommConnectionRecord | null> {
    const theirs = await didsWithKey(agentContext, senderKey)
    if (theirs.length === 0) return null
    const isTheirs = (did: string | undefined) => theirs.some((record) => isOfDid(record, did))
    const found = (await connectionsOfOurKey(agentContext, recipientKey)).findLast(
      ({ isReady, theirDid, previousTheirDids }) => isReady && [theirDid, ...previousTheirDids].some(isTheirs),
    )
    return found ?? null
  }
}
