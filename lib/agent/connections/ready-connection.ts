/** Finds the connection to send a message on, and converts errors of sending. */

import type { AgentContext, BaseRecord } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  type DidCommMessage,
  DidCommMessageSender,
  DidCommOutboundMessageContext,
  MessageSendingError,
} from '@credo-ts/didcomm'
import { AgentError, isAgentError } from '../../errors.ts'
import { readLaneEnd } from '../../outbox/messages/index.ts'
import { currentUnit } from '../../store/transaction.ts'
import { UnusableKeysError } from '../envelopes/index.ts'
import { unreadDocument } from '../web/index.ts'

/** A connection. The end of its lane is read in the same request. Throws `resource.not_found`. */
export const findConnection = async (agentContext: AgentContext, id: string): Promise<DidCommConnectionRecord> => {
  await readLaneEnd(currentUnit(), id)
  const connection = await agentContext.resolve(DidCommConnectionRepository).findById(agentContext, id)
  if (connection === null) throw new AgentError('resource.not_found', 'there is no such connection')
  return connection
}

/**
 * The same for sending a message. Throws `connection.not_ready` if the handshake is not complete or the other agent has
 * hung up.
 */
export const readyConnection = async (agentContext: AgentContext, id: string): Promise<DidCommConnectionRecord> => {
  const connection = await findConnection(agentContext, id)
  if (!connection.isReady)
    throw new AgentError('connection.not_ready', `the connection is not ready: its state is ${connection.state}`)
  return connection
}

/** The same for a record, whose connection may have been deleted: then throws `connection.not_ready`. */
export const readyConnectionOf = async (
  agentContext: AgentContext,
  { connectionId }: { connectionId: string },
): Promise<DidCommConnectionRecord> => {
  try {
    return await readyConnection(agentContext, connectionId)
  } catch (error) {
    if (!isAgentError(error, 'resource.not_found')) throw error
    throw new AgentError('connection.not_ready', 'the connection was deleted')
  }
}

/**
 * Runs `act`, which sends a message. Throws `connection.no_endpoint` if the DID document of the other agent has no
 * usable endpoint, or only a queue with keys for which no message can be packed.
 */
export const withSendErrors = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof MessageSendingError || error instanceof UnusableKeysError)) throw error
    const isUnread = unreadDocument() !== undefined
    const reason = isUnread ? 'the host of its DID is unavailable' : 'its DID document has no usable endpoint'
    const options = { cause: error, ...(isUnread && { retryAfter: 60 }) }
    throw new AgentError('connection.no_endpoint', `the other agent cannot be reached: ${reason}`, options)
  }
}

/**
 * Adds a message to a connection to the outbox, or to its queue. Throws `connection.no_endpoint`,
 * `connection.queue_full`.
 */
export const sendOn = (
  agentContext: AgentContext,
  connection: DidCommConnectionRecord,
  message: DidCommMessage,
  associatedRecord?: BaseRecord,
): Promise<void> => {
  const of = { agentContext, connection, ...(associatedRecord && { associatedRecord }) }
  const outbound = new DidCommOutboundMessageContext(message, of)
  return withSendErrors(() => agentContext.resolve(DidCommMessageSender).sendMessage(outbound))
}
