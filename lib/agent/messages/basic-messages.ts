/** Sends basic messages (Aries RFC 0095). */

import {
  DidCommBasicMessage,
  DidCommBasicMessageRecord,
  DidCommBasicMessageRepository,
  DidCommBasicMessageRole,
} from '@credo-ts/didcomm'
import { DELIVERY, type Delivery, toBasicMessageJson } from '../../records/delivery.ts'
import type { RecordJson } from '../../records/record-json.ts'
import { readyConnection, sendOn } from '../connections/index.ts'
import { currentContext, storedForm } from '../credo/index.ts'
import { isQueued, recordBasicMessage, recordQueuedMessage } from '../transport/index.ts'

/**
 * Stores a message and adds it to the outbox in the running unit of work. Returns its record. Throws
 * `resource.not_found`, `connection.not_ready`, `connection.no_endpoint`, `connection.queue_full`.
 */
export const sendBasicMessage = async (connectionId: string, content: string): Promise<RecordJson> => {
  const agentContext = await currentContext()
  const connection = await readyConnection(agentContext, connectionId)
  // Credo's API would instantiate the connection a second time, and copy the record for an event without listeners.
  const message = new DidCommBasicMessage({ content })
  const record = new DidCommBasicMessageRecord({
    sentTime: message.sentTime.toISOString(),
    content,
    connectionId,
    role: DidCommBasicMessageRole.Sender,
    threadId: message.threadId,
  })
  await sendOn(agentContext, connection, message, record)
  const queued = isQueued(connectionId)
  const delivery: Delivery = { state: queued ? 'waiting-for-pickup' : 'pending', attempts: 0 }
  record.metadata.set(DELIVERY, delivery)
  await agentContext.resolve(DidCommBasicMessageRepository).save(agentContext, record)
  const recordSent = queued ? recordQueuedMessage : recordBasicMessage
  recordSent(connectionId, { id: record.id, createdAt: record.createdAt.toISOString() })
  return toBasicMessageJson(await storedForm(agentContext, record))
}
