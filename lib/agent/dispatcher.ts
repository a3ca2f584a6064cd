/** Credo's dispatcher of inbound messages. When a message completes a handshake, it also dispatches the request that came with the invitation. */
import { type DependencyManager, EventEmitter, InjectionSymbols } from '@credo-ts/core'
import {
  DidCommConnectionResponseMessage,
  DidCommDidExchangeResponseMessage,
  DidCommDispatcher,
  type DidCommInboundMessageContext,
  DidCommMessageHandlerRegistry,
  DidCommMessageSender,
} from '@credo-ts/didcomm'
import { handleRequestAfterHandshake } from './attached-requests.ts'

export class Dispatcher extends DidCommDispatcher {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommMessageSender),
      services.resolve(EventEmitter),
      services.resolve(DidCommMessageHandlerRegistry),
      services.resolve(InjectionSymbols.Logger),
    )
  }

  /** Credo would wait for the connection in memory and emit an event. Here the answer to the request is sent after the handshake's last message. */
  override async dispatch(inbound: DidCommInboundMessageContext): Promise<void> {
    await super.dispatch(inbound)
    const { agentContext, connection, message } = inbound
    const isResponse =
      message instanceof DidCommDidExchangeResponseMessage || message instanceof DidCommConnectionResponseMessage
    if (isResponse && connection !== undefined) await handleRequestAfterHandshake(agentContext, connection)
  }
}
