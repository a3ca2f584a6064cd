/** Credo's connection service and connections/1.0 (Aries RFC 0160): documents must belong to their sender. */
import { type DependencyManager, DidRepository, EventEmitter, InjectionSymbols } from '@credo-ts/core'
import { DidCommConnectionRepository, DidCommConnectionService, DidCommDidExchangeState } from '@credo-ts/didcomm'
import { withoutQueue } from '../transport/index.ts'
import { connectionOfKeys } from './current-connection.ts'
import { createResponseWith, processRequest, withContext } from './handshakes.ts'
import { assertOfSender, assertSignedOfSender } from './their-did.ts'
import { removeExpiry } from './unsolicited-requests.ts'

type Arguments<Name extends 'processRequest' | 'createResponse' | 'processResponse' | 'updateState' | 'findByKeys'> =
  Parameters<DidCommConnectionService[Name]>

export class AgentConnectionService extends DidCommConnectionService {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(InjectionSymbols.Logger),
      services.resolve(DidCommConnectionRepository),
      services.resolve(DidRepository),
      services.resolve(EventEmitter),
    )
    // biome-ignore lint/complexity/useLiteralKeys: Credo declares it private
    Object.assign(this, { createDidDoc: withContext(this['createDidDoc'].bind(this)) })
  }

  /** Throws a CredoError for a document that does not belong to the sender. */
  override async processRequest(...[inbound, outOfBand]: Arguments<'processRequest'>) {
    return processRequest(inbound.agentContext, outOfBand, () => {
      assertOfSender(inbound.message.connection.didDoc, inbound.senderKey)
      return super.processRequest(inbound, outOfBand)
    })
  }

  override async createResponse(...[agentContext, connection, outOfBand, chosenRouting]: Arguments<'createResponse'>) {
    const response = await createResponseWith(agentContext, connection, outOfBand, chosenRouting, (routing) =>
      super.createResponse(agentContext, connection, outOfBand, routing),
    )
    return { ...response, message: withoutQueue(response.message) }
  }

  /** Throws a CredoError for a document that is too large, or does not belong to the sender. */
  override async processResponse(...[inbound, outOfBand]: Arguments<'processResponse'>) {
    assertSignedOfSender(inbound.message, inbound.senderKey)
    return super.processResponse(inbound, outOfBand)
  }

  /** Called for every change of state in both protocols. */
  override async updateState(...[agentContext, connection, state]: Arguments<'updateState'>) {
    if (state === DidCommDidExchangeState.Completed) await removeExpiry(agentContext, connection)
    await super.updateState(agentContext, connection, state)
  }

  override async findByKeys(...[agentContext, keys]: Arguments<'findByKeys'>) {
    return connectionOfKeys(agentContext, keys)
  }
}
