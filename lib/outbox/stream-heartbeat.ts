/**
 * Checks that changes of the table reach the dispatcher: the sweep writes a heartbeat, and the dispatcher records the
 * last one that the stream has delivered. AWS has no metric for an event source mapping that was disabled or deleted
 * (docs/adr/0043-a-heartbeat.md).
 */

import type { DynamoDBRecord } from 'aws-lambda'
import { errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { defineItem, tryDecode } from '../store/item.ts'
import { integer } from '../store/item-fields.ts'
import { getItems } from '../store/table.ts'
import { putIf } from '../store/write.ts'
import { heartbeatAddress } from './wake-ups/index.ts'

/** Times are ms since the epoch. */
export const heartbeatItem = defineItem(
  'heartbeat',
  () => heartbeatAddress('sent'),
  {
    at: integer(),
    /** When the first heartbeat was sent that the dispatcher has not received. */
    since: integer(),
  },
  'service',
)

/** Another kind than the heartbeat's, so that the stream's filter does not pass this item to the dispatcher. */
const receivedHeartbeatItem = defineItem(
  'heartbeat-received',
  () => heartbeatAddress('received'),
  { at: integer() },
  'service',
)

const MINUTE = 60_000

/** Three heartbeats take 15 minutes, and a run of the sweep may be some seconds early. */
const STOPPED_AFTER = 14 * MINUTE

/**
 * Sends a heartbeat at `now`, and measures an error if the dispatcher has received none for 15 minutes. A pause of the
 * sweep itself, as in a restored table, does not count. Throws `store.unavailable`.
 */
export const sendHeartbeat = async (now: number): Promise<void> => {
  const addresses = [heartbeatItem.addressOf({}), receivedHeartbeatItem.addressOf({})]
  const items = await getItems(addresses)
  const [sent] = items.flatMap((item) => tryDecode(heartbeatItem, item) ?? [])
  const [received] = items.flatMap((item) => tryDecode(receivedHeartbeatItem, item) ?? [])
  const isMissing = sent !== undefined && (received?.at ?? 0) < sent.at && now - sent.at < STOPPED_AFTER
  const since = isMissing ? sent.since : now
  await putIf(heartbeatItem.encode({ at: now, since }))
  if (now - since < STOPPED_AFTER) return
  const fields = { event: 'stream.stopped', since: new Date(since).toISOString() } as const
  measure('error', 'changes of the table do not reach the dispatcher', fields, { values: { StreamStopped: 1 } })
}

/** Records the newest heartbeat in a batch. A failure is only logged: the next heartbeat follows in five minutes. */
export const receiveHeartbeat = async (records: DynamoDBRecord[]): Promise<void> => {
  const image = records.findLast(({ dynamodb }) => heartbeatItem.is(dynamodb?.NewImage))?.dynamodb?.NewImage
  const heartbeat = image && tryDecode(heartbeatItem, image)
  if (heartbeat === undefined) return
  try {
    await putIf(receivedHeartbeatItem.encode({ at: heartbeat.at }))
  } catch (error) {
    if (!isAgentError(error)) throw error
    log('warn', 'heartbeat not recorded', { event: 'dispatcher.heartbeat_not_noted', error: errorName(error) })
  }
}
