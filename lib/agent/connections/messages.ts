/** Messages about a connection itself: trust pings (Aries RFC 0048), and the hang-up that ends it (RFC 0794). */
import {
  DidCommConnectionRepository,
  DidCommDidExchangeState,
  DidCommHangupMessage,
  DidCommTrustPingMessage,
} from '@credo-ts/didcomm'
import { isAgentError } from '../../errors.ts'
import { enqueue } from '../../jobs/job.ts'
import { defined } from '../../json.ts'
import { emptyByJob } from '../../pickup/queue.ts'
import { type RecordJson, toRecordJson } from '../../records/record-json.ts'
import { currentUnit } from '../../store/transaction.ts'
import { currentContext, toStored } from '../credo/index.ts'
import { withoutQueue } from '../transport/index.ts'
import { findConnection, readyConnection, sendOn } from './ready-connection.ts'

/**
 * Adds a ping to the outbox in the running unit of work. `responseRequested`: whether to ask the other agent for an
 * answer. Returns the connection. Throws `resource.not_found`, `connection.not_ready`, `connection.no_endpoint`.
 */
export const sendTrustPing = async (
  connectionId: string,
  { responseRequested, comment }: { responseRequested: boolean; comment?: string | undefined },
): Promise<RecordJson> => {
  const agentContext = await currentContext()
  const connection = await readyConnection(agentContext, connectionId)
  const message = new DidCommTrustPingMessage({ responseRequested, ...defined({ comment }) })
  await sendOn(agentContext, connection, message)
  return toRecordJson(toStored(agentContext, connection))
}

/** In ms. Longer than a request that has read the connection may take to commit what it adds to it. */
const REMOVAL_DELAY = 60_000

/**
 * Deletes a connection's record in the running unit of work, and sends a hang-up if the connection was completed and
 * the other agent has an endpoint. A job removes what belongs to the connection. Throws `resource.not_found`.
 */
export const endConnection = async (connectionId: string): Promise<undefined> => {
  const agentContext = await currentContext()
  const repository = agentContext.resolve(DidCommConnectionRepository)
  const connection = await findConnection(agentContext, connectionId)
  if (connection.state === DidCommDidExchangeState.Completed)
    await sendOn(agentContext, connection, withoutQueue(new DidCommHangupMessage({}))).catch((error) => {
      // The connection is deleted even if the other agent has no endpoint.
      if (!isAgentError(error, 'connection.no_endpoint')) throw error
    })
  await repository.delete(agentContext, connection)
  const { did, previousDids, theirDid, previousTheirDids } = connection
  const job = { tenant: currentUnit().tenant, type: 'connection-removal', id: connectionId } as const
  enqueue(currentUnit(), job, REMOVAL_DELAY, defined({ did, previousDids, theirDid, previousTheirDids }))
  await emptyByJob(currentUnit(), connectionId)
}
