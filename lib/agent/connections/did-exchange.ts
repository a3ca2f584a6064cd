/** did-exchange (Aries RFC 0023), with the deviations of other vendors' wallets. */
import { type DependencyManager, DidRepository, InjectionSymbols, isValidPeerDid, JwsService } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
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
import { defined } from '../../json.ts'
import { storeTheirDid } from '../dids/index.ts'
import { isProblemReport } from '../threads/index.ts'
import { withoutQueue } from '../transport/index.ts'
import { isOfCurrentDid } from './connection-service.ts'
import { admitRequest, expires, expireUnlessCompleted } from './strangers.ts'
import { assertOfResponder, refusal, theirDidOf } from './their-did.ts'

type Arguments<Name extends 'processRequest' | 'createResponse' | 'processResponse'> = Parameters<
  DidExchangeProtocol[Name]
>

export class DidExchange extends DidExchangeProtocol {
  constructor(services: Pick<DependencyManager, 'resolve'>) {
    super(
      services.resolve(DidCommConnectionService),
      services.resolve(DidRepository),
      services.resolve(JwsService),
      services.resolve(InjectionSymbols.Logger),
    )
  }

  /**
   * Replaces Credo's, which accepts any DID from any sender, rejects a DID without a method, and finds no key of a wallet whose document has no
   * service.
   */
  override async processRequest(...[messageContext, outOfBand]: Arguments<'processRequest'>) {
    const { agentContext, message, senderKey } = messageContext
    outOfBand.assertRole(DidCommOutOfBandRole.Sender)
    outOfBand.assertState(DidCommOutOfBandState.AwaitResponse)
    if (senderKey === undefined) throw refusal('the request is not authenticated')
    await admitRequest(outOfBand)
    const theirs = await theirDidOf(agentContext, message, senderKey)
    await storeTheirDid(agentContext, theirs, senderKey)
    const { alias, autoAcceptConnection } = outOfBand
    const connection = await agentContext.resolve(DidCommConnectionService).createConnection(agentContext, {
      protocol: DidCommHandshakeProtocol.DidExchange,
      role: DidCommDidExchangeRole.Responder,
      state: DidCommDidExchangeState.RequestReceived,
      theirDid: theirs.did,
      threadId: message.threadId,
      outOfBandId: outOfBand.id,
      ...defined({ alias, theirLabel: message.label, autoAcceptConnection }),
    })
    if (outOfBand.reusable) await expireUnlessCompleted(agentContext, connection)
    return connection
  }

  /**
   * Creates a key for each connection. Credo would use the invitation's key if it names one, and a caller may put one key into several invitations.
   * ACA-Py derives its `complete` from the response, and fails without the parent thread.
   */
  override async createResponse(...[agentContext, connection, outOfBand, given]: Arguments<'createResponse'>) {
    const routing = given ?? (await agentContext.resolve(DidCommRoutingService).getRouting(agentContext))
    const message = await super.createResponse(agentContext, connection, outOfBand, routing)
    message.setThread({ threadId: message.threadId, parentThreadId: outOfBand.outOfBandInvitation.id })
    if (outOfBand.reusable) await expireUnlessCompleted(agentContext, connection)
    return withoutQueue(message)
  }

  /** Checks the document: Credo accepts keys of other agents in it, and finds no connection by a DID other than did:peer. */
  override async processResponse(...[inbound, outOfBand]: Arguments<'processResponse'>) {
    const { agentContext, message, senderKey } = inbound
    if (senderKey === undefined) throw refusal('the response is not authenticated')
    await assertOfResponder(agentContext, message, senderKey)
    const connection = await super.processResponse(inbound, outOfBand)
    if (!isValidPeerDid(message.did)) await storeTheirDid(agentContext, { did: message.did }, senderKey)
    return connection
  }
}

/** Handshake protocols: their own messages decide whether the handshake continues. */
const HANDSHAKES = ['connections', 'didexchange', 'did-rotate']

/** One that is completed and expires was completed by a former version during a deployment, which knew of no expiry. */
const isToComplete = (connection: DidCommConnectionRecord): boolean =>
  connection.state === DidCommDidExchangeState.ResponseSent ||
  (connection.state === DidCommDidExchangeState.Completed && expires(connection))

/**
 * Completes a connection on any message of the other agent: it shows that our response arrived (Aries RFC 0160, "States"), which some agents never
 * acknowledge. Credo calls this before the handlers.
 */
export const completeByMessage: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  const { agentContext, connection, message } = inbound
  if (
    connection !== undefined &&
    isToComplete(connection) &&
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
 * Accepts a repeated `complete` of a completed connection. Credo's handler would refuse it, and the sender would retry. Credo calls this before the
 * handlers.
 */
export const takeRepeatedComplete: DidCommMessageHandlerMiddleware = async ({ connection, message }, next) => {
  const isRepetition =
    message instanceof DidCommDidExchangeCompleteMessage &&
    connection?.state === DidCommDidExchangeState.Completed &&
    connection.threadId === message.threadId
  if (!isRepetition) await next()
}
