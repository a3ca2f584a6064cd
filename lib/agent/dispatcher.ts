/** Credo's dispatcher of inbound messages. After the one that completes a handshake it hands in the request that came with the invitation. */
import { type DependencyManager, EventEmitter, InjectionSymbols } from '@credo-ts/core'
import {
  DidCommConnectionResponseMessage,
  DidCommDidExchangeResponseMessage,
  DidCommDispatcher,
  type DidCommInboundMessageContext,
  DidCommMessageHandlerRegistry,
  DidCommMessageSender,
} from '@credo-ts/didcomm'
import { takeKeptRequest } from './attached-requests.ts'

export class Dispatcher extends DidCommDispatcher {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommMessageSender),
      services.resolve(EventEmitter),
      services.resolve(DidCommMessageHandlerRegistry),
      services.resolve(InjectionSymbols.Logger),
    )
  }

  /** Credo waits for the connection in memory, and then emits an event. The answer to the request goes out after the end of the handshake. */
  override async dispatch(inbound: DidCommInboundMessageContext): Promise<void> {
    await super.dispatch(inbound)
    const { agentContext, connection, message } = inbound
    const isResponse =
      message instanceof DidCommDidExchangeResponseMessage || message instanceof DidCommConnectionResponseMessage
    if (isResponse && connection !== undefined) await takeKeptRequest(agentContext, connection)
  }
}
