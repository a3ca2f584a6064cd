/** Credo's out-of-band service (Aries RFC 0434), with handshake reuse for invitations that bring a request, and answers without a connection. */
import { type AgentContext, CredoError, type DependencyManager, EventEmitter } from '@credo-ts/core'
import {
  DidCommDocumentService,
  DidCommHandshakeReuseAcceptedMessage,
  type DidCommHandshakeReuseMessage,
  type DidCommInboundMessageContext,
  DidCommOutOfBandInvitation,
  DidCommOutOfBandRecord,
  DidCommOutOfBandRepository,
  DidCommOutOfBandRole,
  DidCommOutOfBandService,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'
import { uuidOf } from './hash-id.ts'
import { findInvitation, invitationOfKey, mayReuse, useUp } from './invitations.ts'

export class OutOfBandService extends DidCommOutOfBandService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommOutOfBandRepository),
      services.resolve(EventEmitter),
      services.resolve(DidCommDocumentService),
    )
  }

  /**
   * Credo answers a message outside of a connection with the key of the invitation, and does not know where the key of a DID is: its id is
   * its public key in base58 (ADR 10), which Credo calls the legacy one.
   */
  override async getResolvedServiceForOutOfBandServices(
    ...parameters: Parameters<DidCommOutOfBandService['getResolvedServiceForOutOfBandServices']>
  ) {
    const service = await super.getResolvedServiceForOutOfBandServices(...parameters)
    for (const key of service.recipientKeys) if (!key.hasKeyId) key.keyId = key.legacyKeyId
    return service
  }

  /** Credo takes the one invitation that has the key. */
  override findCreatedByRecipientKey(
    ...[agentContext, recipientKey]: Parameters<DidCommOutOfBandService['findCreatedByRecipientKey']>
  ) {
    return invitationOfKey(agentContext, recipientKey)
  }

  /**
   * One record stands for all requests to a DID: Credo makes one for each, and names the DID's key in it, by which invitations are found. What
   * comes to it waits to be accepted.
   */
  override async createFromImplicitInvitation(
    ...[agentContext, { did, handshakeProtocols }]: Parameters<DidCommOutOfBandService['createFromImplicitInvitation']>
  ) {
    const known = await findInvitation(agentContext, did)
    if (known !== undefined) return known
    const record = new DidCommOutOfBandRecord({
      // Of two that come at the same time, one finds the record of the other.
      id: uuidOf(`${DidCommOutOfBandRecord.type} ${did}`),
      role: DidCommOutOfBandRole.Sender,
      state: DidCommOutOfBandState.AwaitResponse,
      reusable: true,
      autoAcceptConnection: false,
      outOfBandInvitation: new DidCommOutOfBandInvitation({ id: did, services: [did], handshakeProtocols }),
    })
    await this.save(agentContext, record)
    return record
  }

  /** Credo looks for the one record of a request to a DID by its thread. */
  override findByCreatedInvitationId(agentContext: AgentContext, id: string) {
    return super.findByCreatedInvitationId(agentContext, id)
  }

  /**
   * Uses the invitation up, and lets the connection answer the request that is attached to it. Credo refuses reuse for an invitation with
   * a request. Throws a CredoError for an invitation that is unknown, used already, or by another DID.
   */
  override async processHandshakeReuse(messageContext: DidCommInboundMessageContext<DidCommHandshakeReuseMessage>) {
    const { agentContext, message } = messageContext
    const connection = messageContext.assertReadyConnection()
    const parentThreadId = message.thread?.parentThreadId
    if (parentThreadId === undefined) throw new CredoError('the message names no invitation')
    const outOfBand = await this.findByCreatedInvitationId(agentContext, parentThreadId)
    if (outOfBand === null) throw new CredoError('there is no such invitation')
    outOfBand.assertState(DidCommOutOfBandState.AwaitResponse)
    if (!(await mayReuse(agentContext, outOfBand, connection)))
      throw new CredoError('the connection is not with the DID of the invitation')
    await useUp(agentContext, outOfBand, connection)
    return new DidCommHandshakeReuseAcceptedMessage({ threadId: message.threadId, parentThreadId })
  }
}
