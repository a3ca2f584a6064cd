/** The dispatcher of the stream: lanes are woken, events are written; a change that can never be dispatched is parked, and blocks nothing. */
import { setTimeout } from 'node:timers/promises'
import type { DynamoDBRecord } from 'aws-lambda'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { dispatchLanes } from '../outbox/dispatcher.ts'
import { outboxItem } from '../outbox/message-item.ts'
import { dispatchEvents, type FailedChange, mayPassLater } from './dispatch-events.ts'
import { beginTry, endTry, suspectIn } from './dispatch-tries.ts'
import { placeItem } from './event-item.ts'
import { park } from './parked-change.ts'

/** What waits in a lane. */
const LANE_KINDS = [outboxItem.kind, placeItem.kind]

/** So often a change is tried that fails by itself, or kills the process that dispatches it. */
const MAX_TRIES = 3

/** Ms before the second and the third try: it may not be the change's own fault after all, and the shard must not wait for long. */
const PAUSES = [250, 1_000]

export interface DispatchSurroundings {
  /** Ms since the epoch. */
  now?: number
  /** Waits for some ms. */
  pause?: (ms: number) => Promise<unknown>
}

/**
 * Dispatches changes of one shard. Returns the sequence number of the first one that an outage of AWS has stopped: it and all behind it are
 * to come again. A change that fails by itself is parked after three tries, also one that has killed this function as often.
 */
export const dispatch = async (
  records: DynamoDBRecord[],
  { now = Date.now(), pause = setTimeout }: DispatchSurroundings = {},
): Promise<string | undefined> => {
  const suspect = suspectIn(records, now)
  if (suspect === undefined) return dispatchAll(records, pause)
  if ((await beginTry(suspect)) > MAX_TRIES) return parkOne({ record: records[0] ?? {}, error: undefined })
  const stopped = await dispatchAll(records, pause)
  if (stopped !== undefined) await endTry(suspect)
  return stopped
}

const dispatchAll = async (
  records: DynamoDBRecord[],
  pause: (ms: number) => Promise<unknown>,
): Promise<string | undefined> => {
  const [notWoken, failed] = await Promise.all([dispatchLanes(records, LANE_KINDS), dispatchEvents(records)])
  const stopped = new Set([notWoken])
  for (const change of await tryAgain(failed, pause)) stopped.add(await parkOne(change))
  stopped.delete(undefined)
  return records.map(({ dynamodb }) => dynamodb?.SequenceNumber).find((sequence) => stopped.has(sequence))
}

/** Tries those again that have failed by themselves. Returns those that fail still, and those that an outage has stopped, in their order. */
const tryAgain = async (failed: FailedChange[], pause: (ms: number) => Promise<unknown>): Promise<FailedChange[]> => {
  const latest = new Map(failed.map((change) => [change.record, change]))
  for (const ms of PAUSES) {
    const own = [...latest.values()].filter(({ error }) => !mayPassLater(error)).map(({ record }) => record)
    if (own.length === 0) break
    await pause(ms)
    const again = new Map((await dispatchEvents(own)).map((change) => [change.record, change]))
    for (const record of own) {
      const change = again.get(record)
      if (change === undefined) latest.delete(record)
      else latest.set(record, change)
    }
  }
  return [...latest.values()]
}

/** Parks a change, unless it may pass later. Returns its sequence number where it is to come again. */
const parkOne = async ({ record, error }: FailedChange): Promise<string | undefined> => {
  const sequence = record.dynamodb?.SequenceNumber ?? ''
  const passes = mayPassLater(error)
  log(passes ? 'warn' : 'error', 'the events of a change were not written', {
    event: passes ? 'dispatcher.event_not_written' : 'dispatcher.change_parked',
    sequence,
    error: nameOf(error),
  })
  return !passes && (await park(record)) ? undefined : sequence
}

const nameOf = (error: unknown): string => (error === undefined ? 'the process died' : errorName(error))

/** Dispatches a change that was parked. False where it fails again: it stays parked. */
export const dispatchParked = async (record: DynamoDBRecord): Promise<boolean> => {
  const [notWoken, failed] = await Promise.all([dispatchLanes([record], LANE_KINDS), dispatchEvents([record])])
  for (const { error } of failed)
    log('error', 'a parked change failed again', { event: 'dispatcher.parked_again', error: nameOf(error) })
  return notWoken === undefined && failed.length === 0
}
