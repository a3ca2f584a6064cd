/**
 * Whether changes of the table reach the dispatcher: the sweep writes a heartbeat, the dispatcher notes which one came
 * through the stream. A mapping that was disabled or deleted has no metric at all (docs/adr/0043-a-heartbeat.md).
 */

import type { DynamoDBRecord } from 'aws-lambda'
import { errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { decodeIfSound, defineItem } from '../store/item.ts'
import { integer } from '../store/item-fields.ts'
import { getItems } from '../store/table.ts'
import { putIf } from '../store/write.ts'
import { heartbeatAddress } from './wake-ups/index.ts'

/** Times are ms since the epoch. */
export const heartbeatItem = defineItem('heartbeat', () => heartbeatAddress('sent'), {
  at: integer(),
  /** When the first heartbeat was sent of those that have not come through. */
  since: integer(),
})

/** Of another kind, or the stream would bring this to the dispatcher, too. */
const receivedItem = defineItem('heartbeat-received', () => heartbeatAddress('received'), { at: integer() })

const MINUTE = 60_000

/** Three heartbeats are 15 minutes, from a run of the sweep to another one that may be some seconds early. */
const STOPPED_AFTER = 14 * MINUTE

/**
 * Sends a heartbeat at `now`, and measures a fault if none of 15 minutes has come through. After a time in which the
 * sweep has not sent any, as in a table that was restored, it begins anew. Throws `store.unavailable`.
 */
export const sendHeartbeat = async (now: number): Promise<void> => {
  const addresses = [heartbeatItem.addressOf({}), receivedItem.addressOf({})]
  const items = await getItems(addresses)
  const [sent] = items.flatMap((item) => decodeIfSound(heartbeatItem, item) ?? [])
  const [received] = items.flatMap((item) => decodeIfSound(receivedItem, item) ?? [])
  const isMissing = sent !== undefined && (received?.at ?? 0) < sent.at && now - sent.at < STOPPED_AFTER
  const since = isMissing ? sent.since : now
  await putIf(heartbeatItem.encode({ at: now, since }))
  if (now - since < STOPPED_AFTER) return
  const fields = { event: 'stream.stopped', since: new Date(since).toISOString() } as const
  measure('error', 'changes of the table do not reach the dispatcher', fields, { values: { StreamStopped: 1 } })
}

/** Notes the newest heartbeat in a batch. A failure is only logged: another one comes in five minutes. */
export const receiveHeartbeat = async (records: DynamoDBRecord[]): Promise<void> => {
  const image = records.findLast(({ dynamodb }) => heartbeatItem.is(dynamodb?.NewImage))?.dynamodb?.NewImage
  const heartbeat = image && decodeIfSound(heartbeatItem, image)
  if (heartbeat === undefined) return
  try {
    await putIf(receivedItem.encode({ at: heartbeat.at }))
  } catch (error) {
    if (!isAgentError(error)) throw error
    log('warn', 'a heartbeat was not noted', { event: 'dispatcher.heartbeat_not_noted', error: errorName(error) })
  }
}
