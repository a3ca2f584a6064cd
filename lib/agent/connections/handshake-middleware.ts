/**
 * Middleware for handshakes: any message completes a handshake, a repeated `complete` is accepted, and handshakes whose
 * invitation was deleted are rejected.
 */
import { CredoError } from '@credo-ts/core'
import {
  DidCommConnectionService,
  DidCommDidExchangeCompleteMessage,
  DidCommDidExchangeState,
  type DidCommMessageHandlerMiddleware,
  parseMessageType,
} from '@credo-ts/didcomm'
import { isProblemReport } from '../threads/index.ts'
import { isOfCurrentDid } from './current-connection.ts'
import { isInvited } from './handshakes.ts'

/**
 * Rejects every message of an uncompleted handshake whose invitation was deleted. Throws a CredoError, so that nothing
 * is written. Credo calls this before the handlers.
 */
export const requireInvitation: DidCommMessageHandlerMiddleware = async ({ agentContext, connection }, next) => {
  if (connection?.state === DidCommDidExchangeState.ResponseSent && !(await isInvited(agentContext, connection)))
    throw new CredoError('the invitation was deleted before its handshake was completed')
  await next()
}

/** Protocols whose own messages decide whether a handshake continues: they need no connection that is ready. */
export const HANDSHAKES = ['connections', 'didexchange', 'did-rotate']

/**
 * Completes a connection on any message of the other agent: it shows that our response arrived (Aries RFC 0160,
 * "States"), which some agents never acknowledge. Credo calls this before the handlers.
 */
export const completeByMessage: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  const { agentContext, connection, message } = inbound
  if (
    connection?.state === DidCommDidExchangeState.ResponseSent &&
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
 * Accepts a repeated `complete` of a completed connection. Credo's handler would reject it, and the sender would retry.
 * Credo calls this before the handlers.
 */
export const acceptRepeatedComplete: DidCommMessageHandlerMiddleware = async ({ connection, message }, next) => {
  const isRepetition =
    message instanceof DidCommDidExchangeCompleteMessage &&
    connection?.state === DidCommDidExchangeState.Completed &&
    connection.threadId === message.threadId
  if (!isRepetition) await next()
}
