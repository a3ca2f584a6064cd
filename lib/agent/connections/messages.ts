/** Messages about a connection itself: trust pings (Aries RFC 0048), and the hang-up that ends it (RFC 0794). */
import {
  DidCommConnectionRepository,
  DidCommDidExchangeState,
  DidCommHangupMessage,
  type DidCommMessage,
  DidCommMessageSender,
  DidCommOutboundMessageContext,
  DidCommTrustPingMessage,
} from '@credo-ts/didcomm'
import { AgentError, isAgentError } from '../../errors.ts'
import { defined } from '../../json.ts'
import { readLaneEnd } from '../../outbox/outbox-id.ts'
import { toConnectionJson } from '../../records/connection.ts'
import type { RecordJson } from '../../records/record-json.ts'
import { currentUnit } from '../../store/transaction.ts'
import { messagingContext } from '../basic-messages.ts'
import { withoutQueue } from '../pickup-queue.ts'
import { toStored } from '../storage-service.ts'
import { readyConnection, send } from './ready-connection.ts'

interface Ping {
  /** Whether to ask the other agent for an answer. */
  responseRequested: boolean
  comment?: string | undefined
}

/**
 * Adds a ping to the outbox in the running unit of work. Returns the connection. Throws `resource.not_found`, `connection.not_ready`,
 * `connection.no_endpoint`.
 */
export const sendTrustPing = async (
  connectionId: string,
  { responseRequested, comment }: Ping,
): Promise<RecordJson> => {
  const agentContext = await messagingContext()
  const connection = await readyConnection(agentContext, connectionId)
  const message = new DidCommTrustPingMessage({ responseRequested, ...defined({ comment }) })
  const outbound = new DidCommOutboundMessageContext(message, { agentContext, connection })
  await send(() => agentContext.resolve(DidCommMessageSender).sendMessage(outbound))
  return toConnectionJson(toStored(agentContext, connection))
}

/**
 * Deletes a connection's record in the running unit of work, and sends a hang-up if the connection was completed and the other agent has an endpoint.
 * Throws `resource.not_found`.
 */
export const endConnection = async (connectionId: string): Promise<undefined> => {
  const agentContext = await messagingContext()
  const repository = agentContext.resolve(DidCommConnectionRepository)
  await readLaneEnd(currentUnit(), connectionId)
  const connection = await repository.findById(agentContext, connectionId)
  if (connection === null) throw new AgentError('resource.not_found', 'there is no such connection')
  if (connection.state === DidCommDidExchangeState.Completed && connection.theirDid !== undefined) {
    const message: DidCommMessage = withoutQueue(new DidCommHangupMessage({}))
    const outbound = new DidCommOutboundMessageContext(message, { agentContext, connection })
    await send(() => agentContext.resolve(DidCommMessageSender).sendMessage(outbound)).catch(ignoreUnreachable)
  }
  await repository.delete(agentContext, connection)
}

/** A connection can be deleted even if the other agent has no endpoint for the hang-up. */
const ignoreUnreachable = (error: unknown): void => {
  if (!isAgentError(error, 'connection.no_endpoint')) throw error
}
