/** The connection that an operation names, and messages to it. */
import { type DidCommConnectionRecord, MessageSendingError } from '@credo-ts/didcomm'
import { AgentError } from '../errors.ts'
import { readLaneEnd } from '../outbox/next-id.ts'
import { currentUnit } from '../store/transaction.ts'
import type { TenantAgent } from './agent.ts'

/** The connection, for a message to it. Throws `resource.not_found`, or `connection.not_ready` where its handshake is not complete or the other has hung up. */
export const readyConnection = async (agent: TenantAgent, connectionId: string): Promise<DidCommConnectionRecord> => {
  await readLaneEnd(currentUnit(), connectionId)
  const connection = await agent.didcomm.connections.findById(connectionId)
  if (connection === null) throw new AgentError('resource.not_found', 'there is no such connection')
  if (!connection.isReady)
    throw new AgentError('connection.not_ready', `the connection is not ready: its state is ${connection.state}`)
  if (connection.theirDid === undefined)
    throw new AgentError('connection.not_ready', 'the other agent has ended the connection')
  return connection
}

/**
 * Runs what sends a message to a connection. Throws `connection.no_endpoint` where the other agent's DID document, which may
 * say anything, names no endpoint that a message can go to.
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
