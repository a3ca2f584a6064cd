/** Handshakes that wait for a call: a request or a response that is not accepted by itself (Aries RFC 0023 and 0160). */
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommDidExchangeState,
  DidCommOutOfBandRepository,
} from '@credo-ts/didcomm'
import { AgentError } from '../errors.ts'
import { readLaneEnd } from '../outbox/next-id.ts'
import { toConnectionJson } from '../records/connection.ts'
import type { RecordJson } from '../records/record-json.ts'
import { currentUnit } from '../store/transaction.ts'
import { currentAgent } from './agent.ts'
import { takeKeptRequest } from './attached-requests.ts'
import { send } from './connections.ts'
import { toStored } from './storage-service.ts'

/**
 * Answers a request to connect, in the running unit of work. Returns the connection (`response-sent`). Throws `resource.not_found`,
 * `connection.no_endpoint`, and `connection.not_ready` where there is no request that waits, or it can't be answered.
 */
export const acceptRequest = async (connectionId: string): Promise<RecordJson> => {
  const { context, didcomm } = await currentAgent()
  await requireTurn(context, connectionId, DidCommDidExchangeState.RequestReceived)
  return goOn(context, () => didcomm.connections.acceptRequest(connectionId))
}

/** The same for the response to a request of ours; and handles the request that came with the invitation. Returns the connection (`completed`). */
export const acceptResponse = async (connectionId: string): Promise<RecordJson> => {
  const { context, didcomm } = await currentAgent()
  await requireTurn(context, connectionId, DidCommDidExchangeState.ResponseReceived)
  return goOn(context, async () => {
    const connection = await didcomm.connections.acceptResponse(connectionId)
    await takeKeptRequest(context, connection)
    return connection
  })
}

/** What a handshake goes on with is read: the connection and the end of its lane in one request, and the record of the invitation. */
const requireTurn = async (context: AgentContext, connectionId: string, turn: DidCommDidExchangeState) => {
  await readLaneEnd(currentUnit(), connectionId)
  const connection = await context.resolve(DidCommConnectionRepository).findById(context, connectionId)
  if (connection === null) throw new AgentError('resource.not_found', 'there is no such connection')
  const { state, outOfBandId } = connection
  if (state !== turn) throw notReady(`the connection is not waiting for this: its state is ${state}`)
  const invitation = outOfBandId && (await context.resolve(DidCommOutOfBandRepository).findById(context, outOfBandId))
  if (!invitation) throw notReady('the record of the invitation was deleted')
}

const notReady = (message: string, cause?: unknown): AgentError =>
  new AgentError('connection.not_ready', message, cause === undefined ? {} : { cause })

/** What the other agent has sent may be such that Credo makes no answer of it. */
const goOn = async (context: AgentContext, act: () => Promise<DidCommConnectionRecord>): Promise<RecordJson> => {
  try {
    return toConnectionJson(toStored(context, await send(act)))
  } catch (error) {
    if (error instanceof CredoError) throw notReady('the message of the other agent can not be answered', error)
    throw error
  }
}
