/**
 * Message pickup by wallets without an endpoint: Credo's protocols, in the mediator's role.
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0212-pickup (v1),
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0685-pickup-v2 (v2)
 */

import type { DependencyManager } from '@credo-ts/core'
import {
  DidCommBatchPickupMessage,
  DidCommDeliveryRequestV2Message,
  DidCommFeatureRegistry,
  type DidCommInboundMessageContext,
  DidCommLiveDeliveryChangeV2Message,
  type DidCommMessageHandler,
  type DidCommMessageHandlerRegistry,
  DidCommMessagePickupV1Protocol,
  DidCommMessagePickupV2Protocol,
  DidCommMessagesReceivedV2Message,
  DidCommModuleConfig,
  DidCommOutboundMessageContext,
  DidCommProblemReportError,
  DidCommStatusRequestV2Message,
  DidCommStatusV2Message,
} from '@credo-ts/didcomm'
import { currentConnection } from '../connections/index.ts'
import { forgetMarks } from './inbox.ts'

/** Rejects a limit below one message. */
const assertLimit = (limit: number): void => {
  if (limit < 1) throw new DidCommProblemReportError('at least one message', { problemCode: 'e.msg.invalid-limit' })
}

/**
 * v1 removes messages when it hands them out. The mark of the envelope keeps the batch, which a repeated request gets
 * again.
 */
class PickupV1 extends DidCommMessagePickupV1Protocol {
  override async processBatchPickup(inbound: DidCommInboundMessageContext<DidCommBatchPickupMessage>) {
    assertLimit(inbound.message.batchSize)
    return super.processBatchPickup(inbound)
  }
}

/**
 * v2 keeps messages until they are acknowledged, so its requests change nothing, and a repetition needs no special
 * handling.
 */
class PickupV2 extends DidCommMessagePickupV2Protocol {
  override async processStatusRequest(inbound: DidCommInboundMessageContext<DidCommStatusRequestV2Message>) {
    forgetMarks()
    return super.processStatusRequest(inbound)
  }

  override async processDeliveryRequest(inbound: DidCommInboundMessageContext<DidCommDeliveryRequestV2Message>) {
    assertLimit(inbound.message.limit)
    forgetMarks()
    return super.processDeliveryRequest(inbound)
  }

  override async processMessagesReceived(inbound: DidCommInboundMessageContext<DidCommMessagesReceivedV2Message>) {
    // Credo checks only that it is a list.
    inbound.message.messageIdList = inbound.message.messageIdList.filter((id) => UUID.test(String(id)))
    return super.processMessagesReceived(inbound)
  }

  /** Rejects "Live Mode": functions hold no connections open. */
  override async processLiveDeliveryChange(inbound: DidCommInboundMessageContext<DidCommLiveDeliveryChangeV2Message>) {
    const { agentContext, message } = inbound
    const connection = inbound.assertReadyConnection()
    if (message.liveDelivery)
      throw new DidCommProblemReportError('Connection does not support Live Delivery', {
        problemCode: 'e.m.live-mode-not-supported',
      })
    const { queueTransportRepository } = agentContext.resolve(DidCommModuleConfig)
    const messageCount = await queueTransportRepository.getAvailableMessageCount(agentContext, {
      connectionId: connection.id,
    })
    const status = new DidCommStatusV2Message({ threadId: message.threadId, liveDelivery: false, messageCount })
    return new DidCommOutboundMessageContext(status, { agentContext, connection })
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Messages that a mediator accepts. Credo's protocols would also accept messages that were picked up elsewhere, which
 * this agent never does.
 */
const ACCEPTED_MESSAGES: unknown[] = [
  DidCommBatchPickupMessage,
  DidCommStatusRequestV2Message,
  DidCommDeliveryRequestV2Message,
  DidCommMessagesReceivedV2Message,
  DidCommLiveDeliveryChangeV2Message,
]

/** Accepts current DIDs only: a key of a former DID could remove messages of its successor. */
const ofCurrentDid = (handler: DidCommMessageHandler): DidCommMessageHandler => ({
  supportedMessages: handler.supportedMessages,
  handle: async (inbound) => {
    await currentConnection(inbound)
    return handler.handle(inbound)
  },
})

/** Registers handlers and features of both versions (RFC 0557). */
export const registerPickup = (
  dependencyManager: DependencyManager,
  register: (handlers: DidCommMessageHandler[]) => void,
): void => {
  const registry = {
    registerMessageHandlers: (handlers: DidCommMessageHandler[]) =>
      register(
        handlers
          .filter(({ supportedMessages }) => supportedMessages.some((one) => ACCEPTED_MESSAGES.includes(one)))
          .map(ofCurrentDid),
      ),
  } as DidCommMessageHandlerRegistry
  for (const protocol of [new PickupV1(), new PickupV2()])
    protocol.register(registry, dependencyManager.resolve(DidCommFeatureRegistry))
}
