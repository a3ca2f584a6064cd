/**
 * Continues handshakes that wait for an API call: requests and responses that are not accepted automatically (Aries RFC
 * 0023 and 0160).
 */
import { type AgentContext, CredoError } from '@credo-ts/core'
import { type DidCommConnectionRecord, DidCommDidExchangeState } from '@credo-ts/didcomm'
import { AgentError } from '../../errors.ts'
import { type RecordJson, toRecordJson } from '../../records/record-json.ts'
import { findConnection, isInvited, withSendErrors } from '../connections/index.ts'
import { currentAgent, toStored } from '../credo/index.ts'
import { handleRequestAfterHandshake } from './attached-requests.ts'

/**
 * Accepts a connection request in the running unit of work. Returns the connection (`response-sent`). Throws
 * `resource.not_found`, `connection.no_endpoint`, and `connection.not_ready` if no request is waiting or it cannot be
 * answered.
 */
export const acceptRequest = async (connectionId: string): Promise<RecordJson> => {
  const { context, didcomm } = await currentAgent()
  await assertState(context, connectionId, DidCommDidExchangeState.RequestReceived)
  return continueHandshake(context, () => didcomm.connections.acceptRequest(connectionId))
}

/**
 * Accepts the response to our connection request, and handles the request that came with the invitation. Returns the
 * connection (`completed`). Throws as `acceptRequest`.
 */
export const acceptResponse = async (connectionId: string): Promise<RecordJson> => {
  const { context, didcomm } = await currentAgent()
  await assertState(context, connectionId, DidCommDidExchangeState.ResponseReceived)
  return continueHandshake(context, async () => {
    const connection = await didcomm.connections.acceptResponse(connectionId)
    await handleRequestAfterHandshake(context, connection)
    return connection
  })
}

/** Reads the connection together with the end of its lane, and the record of the invitation, in one request each. */
const assertState = async (context: AgentContext, connectionId: string, expected: DidCommDidExchangeState) => {
  const connection = await findConnection(context, connectionId)
  const { state } = connection
  if (state !== expected) throw notReady(`the connection is not waiting for this: its state is ${state}`)
  if (!(await isInvited(context, connection))) throw notReady('the record of the invitation was deleted')
}

const notReady = (message: string, cause?: unknown): AgentError =>
  new AgentError('connection.not_ready', message, { cause })

/** Continues the handshake. Credo cannot answer every message that it has accepted. */
const continueHandshake = async (
  context: AgentContext,
  act: () => Promise<DidCommConnectionRecord>,
): Promise<RecordJson> => {
  try {
    return toRecordJson(toStored(context, await withSendErrors(act)))
  } catch (error) {
    if (error instanceof CredoError) throw notReady('the message of the other agent cannot be answered', error)
    throw error
  }
}
