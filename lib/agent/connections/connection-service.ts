/**
 * Credo's connection service with stricter checks: a document has to be its sender's, and a message has to come from the connection's current DID.
 */
import {
  type AgentContext,
  CredoError,
  type DependencyManager,
  DidRepository,
  EventEmitter,
  InjectionSymbols,
  JsonTransformer,
} from '@credo-ts/core'
import {
  DidCommConnection,
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommConnectionService,
  DidCommDidExchangeState,
  type DidCommInboundMessageContext,
  type DidCommRouting,
  DidCommRoutingService,
  type DidDoc,
} from '@credo-ts/didcomm'
import { didsWithKey, isOfDid } from '../dids/index.ts'
import { isReadableDocument } from '../envelopes/index.ts'
import type { Ed25519Key } from '../keys/index.ts'
import { withoutQueue } from '../transport/index.ts'
import { admitRequest, expireUnlessCompleted, keepForGood } from './strangers.ts'
import { assertOfSender } from './their-did.ts'

type Arguments<Name extends 'createResponse' | 'processResponse' | 'updateState'> = Parameters<
  DidCommConnectionService[Name]
>

/** Of documents without a method (Aries RFC 0160). Wallets of Credo 0.5 take no other. */
const CONTEXT = 'https://w3id.org/did/v1'

export class ConnectionService extends DidCommConnectionService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(InjectionSymbols.Logger),
      services.resolve(DidCommConnectionRepository),
      services.resolve(DidRepository),
      services.resolve(EventEmitter),
    )
    // biome-ignore lint/complexity/useLiteralKeys: Credo declares it private
    const create: (routing: DidCommRouting) => { didDoc: DidDoc } = this['createDidDoc'].bind(this)
    const createDidDoc: typeof create = (routing) => {
      const created = create(routing)
      created.didDoc.context = CONTEXT
      return created
    }
    Object.assign(this, { createDidDoc })
  }

  /** connections/1.0 (Aries RFC 0160). Throws a CredoError for a document that does not belong to the sender. */
  override async processRequest(
    ...[messageContext, outOfBand]: Parameters<DidCommConnectionService['processRequest']>
  ) {
    const { message, senderKey } = messageContext
    await admitRequest(outOfBand)
    const { didDoc } = message.connection
    if (didDoc !== undefined && senderKey !== undefined) assertOfSender(didDoc, senderKey)
    const connection = await super.processRequest(messageContext, outOfBand)
    if (outOfBand.reusable) await expireUnlessCompleted(messageContext.agentContext, connection)
    return connection
  }

  /** Creates a key for each connection. Credo would use the invitation's key if the invitation names one. */
  override async createResponse(...[agentContext, connection, outOfBand, given]: Arguments<'createResponse'>) {
    const routing = given ?? (await agentContext.resolve(DidCommRoutingService).getRouting(agentContext))
    const response = await super.createResponse(agentContext, connection, outOfBand, routing)
    if (outOfBand.reusable) await expireUnlessCompleted(agentContext, connection)
    return { ...response, message: withoutQueue(response.message) }
  }

  /** Throws a CredoError for a document that is too large, or does not belong to the sender. */
  override async processResponse(
    ...[inbound, outOfBand]: Arguments<'processResponse'>
  ): Promise<DidCommConnectionRecord> {
    const { message, senderKey } = inbound
    // Credo has checked the signature by the invitation's key. The first 8 bytes are a timestamp (Aries RFC 0234).
    const signed: unknown = JSON.parse(
      Buffer.from(message.connectionSig.signatureData, 'base64').subarray(8).toString(),
    )
    // No attachment, so that it was not checked with the message.
    if (!isReadableDocument(signed)) throw new CredoError('the signed document is too large')
    const { didDoc } = JsonTransformer.fromJSON(signed, DidCommConnection)
    if (didDoc !== undefined && senderKey !== undefined) assertOfSender(didDoc, senderKey)
    return super.processResponse(inbound, outOfBand)
  }

  /** Every change of state of both protocols comes here. */
  override async updateState(...[agentContext, connection, state]: Arguments<'updateState'>) {
    if (state === DidCommDidExchangeState.Completed) await keepForGood(agentContext, connection)
    await super.updateState(agentContext, connection, state)
  }

  /**
   * Credo expects one DID for the sender's key, so a second document with that key, which anybody can write, would break the connection. This
   * searches the connections of our key, which is unique to a connection, and all DIDs of the sender's key.
   */
  override async findByKeys(
    agentContext: AgentContext,
    { senderKey, recipientKey }: { senderKey: Ed25519Key; recipientKey: Ed25519Key },
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

/** Whether a message comes from the other agent's current DID. A former DID must not take over the connection. */
export const isOfCurrentDid = async (
  { agentContext, senderKey }: DidCommInboundMessageContext,
  { theirDid }: DidCommConnectionRecord,
): Promise<boolean> =>
  senderKey !== undefined && (await didsWithKey(agentContext, senderKey)).some((record) => isOfDid(record, theirDid))

/** The connection of a message. Throws a CredoError if the sender's DID is a former one. */
export const currentConnection = async (inbound: DidCommInboundMessageContext): Promise<DidCommConnectionRecord> => {
  const connection = inbound.assertReadyConnection()
  if (await isOfCurrentDid(inbound, connection)) return connection
  throw new CredoError('the sender is not the current DID of the connection')
}

/** Connections whose current or former DID of ours has this key. */
export const connectionsOfOurKey = async (
  agentContext: AgentContext,
  key: Ed25519Key,
): Promise<DidCommConnectionRecord[]> => {
  const ours = await agentContext.resolve(DidRepository).findCreatedDidByRecipientKey(agentContext, key)
  if (ours === null) return []
  return agentContext
    .resolve(DidCommConnectionRepository)
    .findByQuery(agentContext, { $or: [{ did: ours.did }, { previousDids: [ours.did] }] })
}
