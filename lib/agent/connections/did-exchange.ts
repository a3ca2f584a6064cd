/** did-exchange (Aries RFC 0023), with the deviations of other vendors' wallets. */
import { type DependencyManager, DidRepository, InjectionSymbols, isValidPeerDid, JwsService } from '@credo-ts/core'
import { DidCommConnectionService, DidExchangeProtocol } from '@credo-ts/didcomm'
import { storeTheirDid } from '../dids/index.ts'
import { withoutQueue } from '../transport/index.ts'
import { createRequestedConnection, createResponseWith, processRequest, senderKeyOf } from './handshakes.ts'
import { assertOfResponder } from './their-did.ts'

type Arguments<Name extends 'processRequest' | 'createResponse' | 'processResponse'> = Parameters<
  DidExchangeProtocol[Name]
>

export class AgentDidExchange extends DidExchangeProtocol {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommConnectionService),
      services.resolve(DidRepository),
      services.resolve(JwsService),
      services.resolve(InjectionSymbols.Logger),
    )
  }

  /**
   * Replaces Credo's, which accepts any DID from any sender, rejects a DID without a method, and finds no key of a
   * wallet whose document has no service.
   */
  override async processRequest(...[inbound, outOfBand]: Arguments<'processRequest'>) {
    const senderKey = senderKeyOf(inbound, outOfBand)
    return processRequest(inbound.agentContext, outOfBand, () =>
      createRequestedConnection(inbound, outOfBand, senderKey),
    )
  }

  /** ACA-Py derives its `complete` from the response, and fails without the parent thread. */
  override async createResponse(...[agentContext, connection, outOfBand, chosenRouting]: Arguments<'createResponse'>) {
    const message = await createResponseWith(agentContext, connection, outOfBand, chosenRouting, (routing) =>
      super.createResponse(agentContext, connection, outOfBand, routing),
    )
    message.setThread({ threadId: message.threadId, parentThreadId: outOfBand.outOfBandInvitation.id })
    return withoutQueue(message)
  }

  /**
   * Checks the document: Credo accepts keys of other agents in it, and finds no connection by a DID other than
   * did:peer.
   */
  override async processResponse(...[inbound, outOfBand]: Arguments<'processResponse'>) {
    const { agentContext, message, senderKey } = inbound
    const key = await assertOfResponder(agentContext, message, senderKey)
    const connection = await super.processResponse(inbound, outOfBand)
    if (!isValidPeerDid(message.did)) await storeTheirDid(agentContext, { did: message.did }, key)
    return connection
  }
}
