/** Which connection an envelope belongs to, and who may open one: a sender is what its own keys prove, and nothing that it claims. */
import {
  AgentConfig,
  type AgentContext,
  CredoError,
  type DependencyManager,
  DidDocumentRole,
  type DidRecord,
  DidRepository,
  didDocumentJsonToNumAlgo1Did,
  EventEmitter,
  type Kms,
} from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommConnectionService,
  DidCommDidExchangeRole,
} from '@credo-ts/didcomm'
import { currentUnit } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

type Key = Kms.PublicJwk<Kms.Ed25519PublicJwk>
type ConnectionOptions = Parameters<DidCommConnectionService['createConnection']>[1]

/** Who sent the message that a unit of work is about. */
const senders = new WeakMap<UnitOfWork, Key>()

/** The DIDs of other agents whose documents name this key. Anybody may name anybody's key in a document. */
export const didsWithKey = (agentContext: AgentContext, key: Key): Promise<DidRecord[]> =>
  agentContext
    .resolve(DidRepository)
    .findByQuery(agentContext, { recipientKeyFingerprints: [key.fingerprint], role: DidDocumentRole.Received })

/** Whether a record is of this DID, in whichever of its spellings (a did:peer:4 has two). */
export const isOfDid = (record: DidRecord, did: string | undefined): boolean =>
  did !== undefined && (record.did === did || (record.getTags().alternativeDids ?? []).includes(did))

/** The connections that have, or had, the DID of one of our keys. */
export const connectionsOfOurKey = async (agentContext: AgentContext, key: Key): Promise<DidCommConnectionRecord[]> => {
  const ours = await agentContext.resolve(DidRepository).findCreatedDidByRecipientKey(agentContext, key)
  if (ours === null) return []
  return agentContext
    .resolve(DidCommConnectionRepository)
    .findByQuery(agentContext, { $or: [{ did: ours.did }, { previousDids: [ours.did] }] })
}

export class ConnectionService extends DidCommConnectionService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(AgentConfig).logger,
      services.resolve(DidCommConnectionRepository),
      services.resolve(DidRepository),
      services.resolve(EventEmitter),
    )
  }

  /**
   * The connection that a message belongs to. Credo looks for the one DID that has the sender's key, so that a second DID
   * that names the key makes the connection deaf. Our key is of one connection only: it comes first.
   */
  override async findByKeys(
    agentContext: AgentContext,
    { senderKey, recipientKey }: { senderKey: Key; recipientKey: Key },
  ): Promise<DidCommConnectionRecord | null> {
    senders.set(currentUnit(), senderKey)
    const theirs = await didsWithKey(agentContext, senderKey)
    if (theirs.length === 0) return null
    const isTheirs = (did: string | undefined) => theirs.some((record) => isOfDid(record, did))
    const connections = await connectionsOfOurKey(agentContext, recipientKey)
    return (
      connections.findLast(
        ({ isReady, theirDid, previousTheirDids }) => isReady && [theirDid, ...previousTheirDids].some(isTheirs),
      ) ?? null
    )
  }

  /** Throws a CredoError where the sender of a handshake request names a DID that is not its own. */
  override async createConnection(
    agentContext: AgentContext,
    options: ConnectionOptions,
  ): Promise<DidCommConnectionRecord> {
    if (options.role === DidCommDidExchangeRole.Responder) await assertOwnDid(agentContext, options.theirDid)
    return super.createConnection(agentContext, options)
  }
}

const assertOwnDid = async (agentContext: AgentContext, did: string | undefined): Promise<void> => {
  const sender = senders.get(currentUnit())
  const theirs = sender === undefined ? [] : await didsWithKey(agentContext, sender)
  if (!theirs.some((record) => isOfDid(record, did) && isSelfCertifying(record)))
    throw new CredoError('the sender has no key of the DID that it names')
}

/** A did:peer:1 is the hash of its document, which comes with the message. https://identity.foundation/peer-did-method-spec/#generation-method */
const isSelfCertifying = ({ did, didDocument }: DidRecord): boolean =>
  !did.startsWith('did:peer:1') || (didDocument != null && didDocumentJsonToNumAlgo1Did(didDocument.toJSON()) === did)
