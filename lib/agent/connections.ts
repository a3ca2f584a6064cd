/** The connection that a message is sent to, and the errors of sending. */
import type { AgentContext } from '@credo-ts/core'
import { type DidCommConnectionRecord, DidCommConnectionRepository, MessageSendingError } from '@credo-ts/didcomm'
import { AgentError } from '../errors.ts'
import { readLaneEnd } from '../outbox/next-id.ts'
import { currentUnit } from '../store/transaction.ts'

/**
 * The connection, for a message to it: the end of its lane is read in the same request. Throws `resource.not_found`, or
 * `connection.not_ready` where its handshake is not complete or the other has hung up.
 */
export const readyConnection = async (
  agentContext: AgentContext,
  connectionId: string,
): Promise<DidCommConnectionRecord> => {
  await readLaneEnd(currentUnit(), connectionId)
  const connection = await agentContext.resolve(DidCommConnectionRepository).findById(agentContext, connectionId)
  if (connection === null) throw new AgentError('resource.not_found', 'there is no such connection')
  if (!connection.isReady)
    throw new AgentError('connection.not_ready', `the connection is not ready: its state is ${connection.state}`)
  if (connection.theirDid === undefined)
    throw new AgentError('connection.not_ready', 'the other agent has ended the connection')
  return connection
}

/**
 * Runs `act`, which sends a message to a connection. Throws `connection.no_endpoint` where the other agent's DID document names no usable
 * endpoint.
 */
export const send = async <T>(act: () => Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof MessageSendingError)) throw error
    throw new AgentError(
      'connection.no_endpoint',
      'the other agent can not be reached: its DID names no usable endpoint',
      {
        cause: error,
      },
    )
  }
}
