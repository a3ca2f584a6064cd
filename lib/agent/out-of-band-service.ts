/** Credo's out-of-band service (Aries RFC 0434), with handshake reuse for invitations that bring a request, and answers without a connection. */
import { CredoError, type DependencyManager, EventEmitter } from '@credo-ts/core'
import {
  DidCommDocumentService,
  DidCommHandshakeReuseAcceptedMessage,
  type DidCommHandshakeReuseMessage,
  type DidCommInboundMessageContext,
  DidCommOutOfBandRepository,
  DidCommOutOfBandService,
  DidCommOutOfBandState,
} from '@credo-ts/didcomm'
import { invitationOfKey, mayReuse, useUp } from './invitations.ts'

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
