/** Basic messages (Aries RFC 0095). */

import { toBasicMessageJson } from '../records/basic-message.ts'
import type { RecordJson } from '../records/record-json.ts'
import { currentAgent } from './agent.ts'
import { readyConnection } from './connections.ts'
import { toStored } from './storage-service.ts'

/**
 * Writes a message and puts it into the outbox, in the running unit of work. Returns its record.
 * Throws `resource.not_found`, `connection.not_ready`, `connection.no_endpoint`.
 */
export const sendBasicMessage = async (connectionId: string, content: string): Promise<RecordJson> => {
  const agent = await currentAgent()
  await readyConnection(agent, connectionId)
  const record = await agent.didcomm.basicMessages.sendMessage(connectionId, content)
  return toBasicMessageJson(toStored(agent.context, record))
}
