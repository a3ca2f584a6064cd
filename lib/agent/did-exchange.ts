/** did-exchange (Aries RFC 0023), as the wallets of other vendors speak it. */
import { type DependencyManager, DidRepository, InjectionSymbols, isValidPeerDid, JwsService } from '@credo-ts/core'
import {
  DidCommConnectionService,
  DidCommDidExchangeCompleteMessage,
  DidCommDidExchangeRole,
  DidCommDidExchangeState,
  DidCommHandshakeProtocol,
  type DidCommMessageHandlerMiddleware,
  DidCommOutOfBandRole,
  DidCommOutOfBandState,
  DidCommRoutingService,
  DidExchangeProtocol,
  parseMessageType,
} from '@credo-ts/didcomm'
import { isOfCurrentDid } from './connection-service.ts'
import { defined } from './defined.ts'
import { storeTheirDid } from './did-repository.ts'
import { expireUnlessCompleted } from './handshake-expiry.ts'
import { unqueued } from './pickup-queue.ts'
import { isProblemReport } from './problem-reports.ts'
import { admitStranger } from './strangers.ts'
import { assertOfResponder, refusal, theirDidOf } from './their-did.ts'

type Arguments<Name extends 'processRequest' | 'createResponse' | 'processResponse'> = Parameters<
  DidExchangeProtocol[Name]
>

export class DidExchange extends DidExchangeProtocol {
  readonly #connections: DidCommConnectionService

  constructor(services: Pick<DependencyManager, 'resolve'>) {
    const connections = services.resolve(DidCommConnectionService)
    super(
      connections,
      services.resolve(DidRepository),
      services.resolve(JwsService),
      services.resolve(InjectionSymbols.Logger),
    )
    this.#connections = connections
  }

  /**
   * In the place of Credo's, which takes the DID of anybody from anybody, none without a method, and knows no key of a wallet whose document
   * names no service.
   */
  override async processRequest(...[messageContext, outOfBand]: Arguments<'processRequest'>) {
    const { agentContext, message, senderKey } = messageContext
    outOfBand.assertRole(DidCommOutOfBandRole.Sender)
    outOfBand.assertState(DidCommOutOfBandState.AwaitResponse)
    if (senderKey === undefined) throw refusal('the request is not authenticated')
    await admitStranger(outOfBand)
    const theirs = await theirDidOf(agentContext, message, senderKey)
    await storeTheirDid(agentContext, theirs, senderKey)
    const connection = await this.#connections.createConnection(agentContext, {
      protocol: DidCommHandshakeProtocol.DidExchange,
      role: DidCommDidExchangeRole.Responder,
      state: DidCommDidExchangeState.RequestReceived,
      theirDid: theirs.did,
      threadId: message.threadId,
      outOfBandId: outOfBand.id,
      ...defined({
        alias: outOfBand.alias,
        theirLabel: message.label,
        autoAcceptConnection: outOfBand.autoAcceptConnection,
      }),
    })
    if (outOfBand.reusable) await expireUnlessCompleted(agentContext, connection)
    return connection
  }

  /**
   * The connection gets a key of its own, which Credo spares where the invitation names one: a caller may have it in several invitations.
   * ACA-Py makes its `complete` out of the response, and fails without the parent thread.
   */
  override async createResponse(...[agentContext, connection, outOfBand, given]: Arguments<'createResponse'>) {
    const routing = given ?? (await agentContext.resolve(DidCommRoutingService).getRouting(agentContext))
    const message = await super.createResponse(agentContext, connection, outOfBand, routing)
    message.setThread({ threadId: message.threadId, parentThreadId: outOfBand.outOfBandInvitation.id })
    if (outOfBand.reusable) await expireUnlessCompleted(agentContext, connection)
    return unqueued(message)
  }

  /** Credo takes a document that names keys of others, and finds no connection by a DID that is none of did:peer. */
  override async processResponse(...[inbound, outOfBand]: Arguments<'processResponse'>) {
    const { agentContext, message, senderKey } = inbound
    if (senderKey === undefined) throw refusal('the response is not authenticated')
    await assertOfResponder(agentContext, message, senderKey)
    const connection = await super.processResponse(inbound, outOfBand)
    if (!isValidPeerDid(message.did)) await storeTheirDid(agentContext, { did: message.did }, senderKey)
    return connection
  }
}

/** Protocols of handshakes: their own messages say whether one goes on. */
const HANDSHAKES = ['connections', 'didexchange', 'did-rotate']

/**
 * Any message of the other agent shows that it has got our response (Aries RFC 0160, "States"), though some agents never say so.
 * Credo calls this before any handler.
 */
export const completeByMessage: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  const { agentContext, connection, message } = inbound
  if (
    connection?.state === DidCommDidExchangeState.ResponseSent &&
    connection.role === DidCommDidExchangeRole.Responder &&
    !HANDSHAKES.includes(parseMessageType(message.type).protocolName) &&
    !isProblemReport(message.type) &&
    (await isOfCurrentDid(inbound, connection))
  )
    await agentContext
      .resolve(DidCommConnectionService)
      .updateState(agentContext, connection, DidCommDidExchangeState.Completed)
  await next()
}

/**
 * A `complete` for a connection that is completed is a repetition, and no error. Credo calls this before any handler; its own refuses the
 * repetition, and the sender tries again.
 */
export const takeRepeatedComplete: DidCommMessageHandlerMiddleware = async ({ connection, message }, next) => {
  const isRepetition =
    message instanceof DidCommDidExchangeCompleteMessage &&
    connection?.state === DidCommDidExchangeState.Completed &&
    connection.threadId === message.threadId
  if (!isRepetition) await next()
}
