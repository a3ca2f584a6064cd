/** Handshake reuse (Aries RFC 0434): a wallet that has a connection with this agent takes a new invitation without a new handshake. */
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

export class OutOfBandService extends DidCommOutOfBandService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommOutOfBandRepository),
      services.resolve(EventEmitter),
      services.resolve(DidCommDocumentService),
    )
  }

  /**
   * Uses the invitation up, and lets the connection answer the request that is attached to it. Credo refuses reuse for an invitation with
   * a request, and ours all have one. Throws a CredoError for an invitation that is unknown, or used already.
   */
  override async processHandshakeReuse(messageContext: DidCommInboundMessageContext<DidCommHandshakeReuseMessage>) {
    const { agentContext, message } = messageContext
    const { id } = messageContext.assertReadyConnection()
    const parentThreadId = message.thread?.parentThreadId
    if (parentThreadId === undefined) throw new CredoError('the message names no invitation')
    const outOfBand = await this.findByCreatedInvitationId(agentContext, parentThreadId)
    if (outOfBand === null) throw new CredoError('there is no such invitation')
    outOfBand.assertState(DidCommOutOfBandState.AwaitResponse)
    if (!outOfBand.reusable) {
      outOfBand.reuseConnectionId = id
      await this.updateState(agentContext, outOfBand, DidCommOutOfBandState.Done)
    }
    return new DidCommHandshakeReuseAcceptedMessage({ threadId: message.threadId, parentThreadId })
  }
}
