/** Message pickup (Aries RFC 0212, 0685): the accepted messages and their checks. */
import type { DependencyManager } from '@credo-ts/core'
import {
  DidCommBatchPickupMessage,
  DidCommDeliveryRequestV2Message,
  DidCommFeatureRegistry,
  type DidCommInboundMessageContext,
  DidCommLiveDeliveryChangeV2Message,
  DidCommMessage,
  type DidCommMessageHandler,
  type DidCommMessageHandlerRegistry,
  type DidCommMessagePickupProtocol,
  DidCommMessagesReceivedV2Message,
  DidCommModuleConfig,
  DidCommOutboundMessageContext,
  type DidCommPlaintextMessage,
  DidCommProtocol,
  DidCommStatusRequestV2Message,
  DidCommStatusV2Message,
} from '@credo-ts/didcomm'

type LiveDeliveryChange = DidCommInboundMessageContext<DidCommLiveDeliveryChangeV2Message>

/** The violation of a request for less than one message. */
export const limitViolation = ({
  message,
}: DidCommInboundMessageContext<DidCommBatchPickupMessage | DidCommDeliveryRequestV2Message>): string | undefined =>
  ('limit' in message ? message.limit : message.batchSize) < 1 ? 'the limit must be at least one message' : undefined

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Removes ids that are not UUIDs, which ids of queued messages are: Credo checks only that they are a list. */
export const removeForeignIds = (message: DidCommMessagesReceivedV2Message): void => {
  message.messageIdList = message.messageIdList.filter((id) => typeof id === 'string' && UUID.test(id))
}

/** The violation of a request for "Live Mode": functions hold no connections open. */
export const liveModeViolation = ({ message }: LiveDeliveryChange): string | undefined =>
  message.liveDelivery ? 'Connection does not support Live Delivery' : undefined

/** The response to a message that switches "Live Mode" off. */
export const liveModeStatus = async (inbound: LiveDeliveryChange) => {
  const { agentContext, message } = inbound
  const connection = inbound.assertReadyConnection()
  const { queueTransportRepository } = agentContext.resolve(DidCommModuleConfig)
  const messageCount = await queueTransportRepository.getAvailableMessageCount(agentContext, {
    connectionId: connection.id,
  })
  const status = new DidCommStatusV2Message({ threadId: message.threadId, liveDelivery: false, messageCount })
  return new DidCommOutboundMessageContext(status, { agentContext, connection })
}

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

type Response = Awaited<ReturnType<DidCommMessageHandler['handle']>>

/** Removes the times of messages from a status: Credo writes the current time if it has none. */
const withoutTimes = (response: Response): Response => {
  const status = response?.message
  if (!(status instanceof DidCommStatusV2Message)) return response
  const toJSON = (): DidCommPlaintextMessage => {
    const { newest_received_time: _, oldest_received_time: __, ...json } = DidCommMessage.prototype.toJSON.call(status)
    return { ...json, '@type': status.type, '@id': status.id }
  }
  // Not enumerable: Credo would treat it as a member of the message.
  Object.defineProperty(status, 'toJSON', { value: toJSON })
  return response
}

const withoutTimesInResponse = (handler: DidCommMessageHandler): DidCommMessageHandler => ({
  supportedMessages: handler.supportedMessages,
  handle: async (inbound) => withoutTimes(await handler.handle(inbound)),
})

/** Registers handlers of both versions, and this agent's roles (RFC 0557): Credo would register all roles. */
export const registerPickup = (
  protocols: readonly DidCommMessagePickupProtocol[],
  dependencyManager: DependencyManager,
  register: (handlers: DidCommMessageHandler[]) => void,
): void => {
  const registry = {
    registerMessageHandlers: (handlers: DidCommMessageHandler[]) =>
      register(
        handlers
          .filter(({ supportedMessages }) => supportedMessages.some((one) => ACCEPTED_MESSAGES.includes(one)))
          .map(withoutTimesInResponse),
      ),
  } as DidCommMessageHandlerRegistry
  for (const protocol of protocols) protocol.register(registry, new DidCommFeatureRegistry())
  dependencyManager
    .resolve(DidCommFeatureRegistry)
    .register(
      new DidCommProtocol({ id: 'https://didcomm.org/messagepickup/1.0', roles: ['message_holder', 'batch_sender'] }),
      new DidCommProtocol({ id: 'https://didcomm.org/messagepickup/2.0', roles: ['mediator'] }),
    )
}
