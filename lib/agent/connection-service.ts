/** Credo's connection service, stricter on whose document a request brings and on whose connection a message belongs to. */
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
  DidCommRoutingService,
} from '@credo-ts/didcomm'
import { didsWithKey, isOfDid } from './did-repository.ts'
import { expireUnlessCompleted, keepForGood } from './handshake-expiry.ts'
import type { Ed25519Key } from './keys/ed25519-key.ts'
import { assertOfSender } from './legacy-document.ts'
import { unqueued } from './pickup-queue.ts'
import { admitStranger } from './strangers.ts'

export class ConnectionService extends DidCommConnectionService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(InjectionSymbols.Logger),
      services.resolve(DidCommConnectionRepository),
      services.resolve(DidRepository),
      services.resolve(EventEmitter),
    )
  }

  /** connections/1.0 (Aries RFC 0160). Throws a CredoError for a document that is not the sender's. */
  override async processRequest(
    ...[messageContext, outOfBand]: Parameters<DidCommConnectionService['processRequest']>
  ) {
    const { message, senderKey } = messageContext
    await admitStranger(outOfBand)
    const { didDoc } = message.connection
    if (didDoc !== undefined && senderKey !== undefined) assertOfSender(didDoc, senderKey)
    const connection = await super.processRequest(messageContext, outOfBand)
    if (outOfBand.reusable) await expireUnlessCompleted(messageContext.agentContext, connection)
    return connection
  }

  /** The connection gets a key of its own, which Credo spares where the invitation names one. */
  override async createResponse(
    ...[agentContext, connection, outOfBand, given]: Parameters<DidCommConnectionService['createResponse']>
  ) {
    const routing = given ?? (await agentContext.resolve(DidCommRoutingService).getRouting(agentContext))
    const response = await super.createResponse(agentContext, connection, outOfBand, routing)
    if (outOfBand.reusable) await expireUnlessCompleted(agentContext, connection)
    return { ...response, message: unqueued(response.message) }
  }

  /** Throws a CredoError for a document that is not the sender's. */
  override async processResponse(
    ...[inbound, outOfBand]: Parameters<DidCommConnectionService['processResponse']>
  ): Promise<DidCommConnectionRecord> {
    const { message, senderKey } = inbound
    // Signed by the key of the invitation, which Credo makes sure of: the first 8 bytes are a time (Aries RFC 0234).
    const signed = Buffer.from(message.connectionSig.signatureData, 'base64').subarray(8).toString()
    const { didDoc } = JsonTransformer.fromJSON(JSON.parse(signed), DidCommConnection)
    if (didDoc !== undefined && senderKey !== undefined) assertOfSender(didDoc, senderKey)
    return super.processResponse(inbound, outOfBand)
  }

  /** Every change of state of both protocols comes here. */
  override async updateState(
    ...[agentContext, connection, state]: Parameters<DidCommConnectionService['updateState']>
  ) {
    if (state === DidCommDidExchangeState.Completed) await keepForGood(agentContext, connection)
    await super.updateState(agentContext, connection, state)
  }

  /**
   * Credo looks for the one DID that has the sender's key: a second document with that key, which anybody can write, makes all
   * messages of the connection fail. This looks at the connections of our key, which has one, and at all DIDs of the sender's.
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

/** Whether a message is from the DID that the other agent uses now: a former DID must not take over the connection. */
export const isOfCurrentDid = async (
  { agentContext, senderKey }: DidCommInboundMessageContext,
  { theirDid }: DidCommConnectionRecord,
): Promise<boolean> =>
  senderKey !== undefined && (await didsWithKey(agentContext, senderKey)).some((record) => isOfDid(record, theirDid))

/** The connection of a message. Throws a CredoError for a message of a former DID. */
export const currentConnection = async (inbound: DidCommInboundMessageContext): Promise<DidCommConnectionRecord> => {
  const connection = inbound.assertReadyConnection()
  if (await isOfCurrentDid(inbound, connection)) return connection
  throw new CredoError('the sender is not the current DID of the connection')
}

/** The connections that have, or had, the DID of one of our keys. */
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
