/**
 * Credo's out-of-band service (Aries RFC 0434), with handshake reuse for invitations that carry a request, and
 * connectionless answers.
 */
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
import { uuidOf } from '../../hash-id.ts'
import { findInvitation, invitationOfKey, markUsed, mayReuse } from './invitations.ts'

export class AgentOutOfBandService extends DidCommOutOfBandService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommOutOfBandRepository),
      services.resolve(EventEmitter),
      services.resolve(DidCommDocumentService),
    )
  }

  /**
   * Credo answers a connectionless message with the invitation's key, and does not know the id of a DID's key: it is
   * the public key in base58 (docs/adr/0010-a-key-has-the-id-that-envelopes-name-it-by.md), which Credo calls the
   * legacy key id.
   */
  override async getResolvedServiceForOutOfBandServices(
    ...parameters: Parameters<DidCommOutOfBandService['getResolvedServiceForOutOfBandServices']>
  ) {
    const service = await super.getResolvedServiceForOutOfBandServices(...parameters)
    for (const key of service.recipientKeys) if (!key.hasKeyId) key.keyId = key.legacyKeyId
    return service
  }

  /** Credo expects one invitation for a key. */
  override findCreatedByRecipientKey(
    ...[agentContext, recipientKey]: Parameters<DidCommOutOfBandService['findCreatedByRecipientKey']>
  ) {
    return invitationOfKey(agentContext, recipientKey)
  }

  /**
   * Creates one record for all requests to a DID. Credo would create one for each, with the DID's key, by which
   * invitations are found. Such requests wait to be accepted.
   */
  override async createFromImplicitInvitation(
    ...[agentContext, { did, handshakeProtocols }]: Parameters<DidCommOutOfBandService['createFromImplicitInvitation']>
  ) {
    const known = await findInvitation(agentContext, did)
    if (known !== undefined) return known
    const record = new DidCommOutOfBandRecord({
      // Concurrent requests find the same record.
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

  /** Credo looks up the record of a request to a DID by its thread. */
  override findByCreatedInvitationId(agentContext: AgentContext, id: string) {
    return super.findByCreatedInvitationId(agentContext, id)
  }

  /**
   * Marks the invitation as used, and lets the connection answer its attached request. Credo rejects reuse for an
   * invitation with a request. Throws a CredoError if the invitation is unknown, used already, or of another DID.
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
    await markUsed(agentContext, outOfBand, connection)
    return new DidCommHandshakeReuseAcceptedMessage({ threadId: message.threadId, parentThreadId })
  }
}
