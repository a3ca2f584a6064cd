/** The dispatcher of the stream: lanes are woken, events are written; a change that can never be dispatched is parked, and blocks nothing. */
import type { DynamoDBRecord } from 'aws-lambda'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { dispatchLanes } from '../outbox/dispatcher.ts'
import { outboxItem } from '../outbox/message-item.ts'
import { dispatchEvents, type FailedChange, mayPassLater } from './dispatch-events.ts'
import { beginTry, endTry, suspectIn } from './dispatch-tries.ts'
import { placeItem } from './event-item.ts'
import { park } from './parked-change.ts'

/** What waits in a lane. */
const LANE_KINDS = [outboxItem.kind, placeItem.kind]

/** So often a change may kill the process that dispatches it. */
const MAX_TRIES = 3

/**
 * Dispatches changes of one shard. Returns the sequence number of the first one that an outage of AWS has stopped: it and all behind it are
 * to come again. A change that fails by itself is parked, also one that has killed this function several times. `now` in ms since the epoch.
 */
export const dispatch = async (records: DynamoDBRecord[], now: number = Date.now()): Promise<string | undefined> => {
  const suspect = suspectIn(records, now)
  if (suspect === undefined) return dispatchAll(records)
  if ((await beginTry(suspect)) > MAX_TRIES) return parkOne({ record: records[0] ?? {}, error: undefined })
  const stopped = await dispatchAll(records)
  if (stopped !== undefined) await endTry(suspect)
  return stopped
}

const dispatchAll = async (records: DynamoDBRecord[]): Promise<string | undefined> => {
  const [notWoken, failed] = await Promise.all([dispatchLanes(records, LANE_KINDS), dispatchEvents(records)])
  const stopped = new Set([notWoken])
  for (const change of failed) stopped.add(await parkOne(change))
  stopped.delete(undefined)
  return records.map(({ dynamodb }) => dynamodb?.SequenceNumber).find((sequence) => stopped.has(sequence))
}

/** Parks a change, unless it may pass later. Returns its sequence number where it is to come again. */
const parkOne = async ({ record, error }: FailedChange): Promise<string | undefined> => {
  const sequence = record.dynamodb?.SequenceNumber ?? ''
  const passes = mayPassLater(error)
  const fields = { sequence, error: nameOf(error) }
  if (passes) {
    log('warn', 'the events of a change were not written', { event: 'dispatcher.event_not_written', ...fields })
    return sequence
  }
  const event = { event: 'dispatcher.change_parked', ...fields }
  measure('error', 'the events of a change were not written', event, { values: { ChangesParked: 1 } })
  return (await park(record)) ? undefined : sequence
}

const nameOf = (error: unknown): string => (error === undefined ? 'the process died' : errorName(error))

/** Dispatches a change that was parked. False where it fails again: it stays parked. */
export const dispatchParked = async (record: DynamoDBRecord): Promise<boolean> => {
  const [notWoken, failed] = await Promise.all([dispatchLanes([record], LANE_KINDS), dispatchEvents([record])])
  for (const { error } of failed)
    log('error', 'a parked change failed again', { event: 'dispatcher.parked_again', error: nameOf(error) })
  return notWoken === undefined && failed.length === 0
}
