/** Credo's dispatcher of inbound messages, which also dispatches the request that came with an invitation. */
import { type DependencyManager, EventEmitter, InjectionSymbols } from '@credo-ts/core'
import {
  DidCommDispatcher,
  type DidCommInboundMessageContext,
  DidCommMessageHandlerRegistry,
  DidCommMessageSender,
} from '@credo-ts/didcomm'
import { handleRequestAfterResponse } from './attached-requests.ts'

export class AgentDispatcher extends DidCommDispatcher {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommMessageSender),
      services.resolve(EventEmitter),
      services.resolve(DidCommMessageHandlerRegistry),
      services.resolve(InjectionSymbols.Logger),
    )
  }

  override async dispatch(inbound: DidCommInboundMessageContext): Promise<void> {
    await super.dispatch(inbound)
    await handleRequestAfterResponse(inbound)
  }
}
