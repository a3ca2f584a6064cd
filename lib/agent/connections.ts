/** The connection that an operation names. */
import type { DidCommConnectionRecord } from '@credo-ts/didcomm'
import { AgentError } from '../errors.ts'
import type { TenantAgent } from './agent.ts'

/** Throws `resource.not_found`, or `connection.not_ready` where its handshake is not complete. */
export const readyConnection = async (agent: TenantAgent, connectionId: string): Promise<DidCommConnectionRecord> => {
  const connection = await agent.didcomm.connections.findById(connectionId)
  if (connection === null) throw new AgentError('resource.not_found', 'there is no such connection')
  if (!connection.isReady)
    throw new AgentError('connection.not_ready', `the connection is not ready: its state is ${connection.state}`)
  return connection
}
