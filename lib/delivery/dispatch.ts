/**
 * The dispatcher of the table's stream: wakes lanes and writes events. A change that can never be dispatched is parked,
 * so that it blocks nothing.
 */

import { setTimeout } from 'node:timers/promises'
import type { DynamoDBRecord } from 'aws-lambda'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { outboxItem } from '../outbox/messages/index.ts'
import { receiveHeartbeat } from '../outbox/stream-heartbeat.ts'
import { wakeCommitted } from '../outbox/wake-ups/index.ts'
import { isRetryable } from '../store/aws-errors.ts'
import { dispatchEvents, type FailedChange } from '../webhooks/dispatch-events.ts'
import { pendingEventItem } from '../webhooks/event-item.ts'
import { beginTry, countedChange, endTry, park, parkedChanges } from './parked-changes.ts'

/** The kinds of items that wait in lanes. The partition of such an item is the name of its lane. */
export const LANE_KINDS = [outboxItem.kind, pendingEventItem.kind]

/** Maximum number of tries of a change that fails by itself, or that kills the dispatching process. */
const MAX_TRIES = 3

/**
 * Ms before the second and the third try: the change may not be the cause after all, and the shard must not wait for
 * long.
 */
const PAUSES = [250, 1_000]

export interface DispatchOptions {
  /** Ms since the epoch. */
  now?: number
  /** Waits for some ms. */
  pause?: (ms: number) => Promise<unknown>
}

/**
 * Dispatches changes of one shard. Returns the sequence number of the first change that an outage of AWS has stopped:
 * the stream repeats it and all after it. A change that fails by itself three times, or kills this function as often,
 * is parked.
 */
export const dispatch = async (
  records: DynamoDBRecord[],
  { now = Date.now(), pause = setTimeout }: DispatchOptions = {},
): Promise<string | undefined> => {
  const suspect = countedChange(records, now)
  if (suspect === undefined) return dispatchAll(records, pause)
  if ((await beginTry(suspect)) > MAX_TRIES) return parkUnlessRetryable({ record: records[0] ?? {}, error: undefined })
  const stopped = await dispatchAll(records, pause)
  if (stopped !== undefined) await endTry(suspect)
  return stopped
}

const dispatchAll = async (
  records: DynamoDBRecord[],
  pause: (ms: number) => Promise<unknown>,
): Promise<string | undefined> => {
  const [notWoken, failed] = await Promise.all([
    wakeLanesOf(records),
    dispatchEvents(records),
    receiveHeartbeat(records),
  ])
  const stopped = new Set([notWoken])
  for (const change of await retry(failed, pause)) stopped.add(await parkUnlessRetryable(change))
  stopped.delete(undefined)
  return records.map(({ dynamodb }) => dynamodb?.SequenceNumber).find((sequence) => stopped.has(sequence))
}

/**
 * Wakes the lanes of the inserted items: the guarantee behind the wake-ups that functions send themselves. Returns the
 * sequence number of the first change whose lane was not woken: the stream repeats it and all later ones, and the queue
 * drops the duplicates.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
const wakeLanesOf = async (records: DynamoDBRecord[]): Promise<string | undefined> => {
  const committed = records.flatMap(({ eventName, dynamodb }) => {
    const { pk, sk, kind } = dynamodb?.NewImage ?? {}
    if (eventName !== 'INSERT' || !LANE_KINDS.includes(kind?.S ?? '') || !pk?.S || !sk?.S) return []
    return [{ lane: pk.S, itemId: sk.S, sequence: dynamodb?.SequenceNumber ?? '' }]
  })
  if (committed.length === 0) return undefined
  const accepted = await wakeCommitted(committed)
  return committed.find((_, index) => accepted[index] === false)?.sequence
}

/**
 * Retries changes that failed by themselves. Returns those that still fail, and those that an outage has stopped, in
 * their order.
 */
const retry = async (failed: FailedChange[], pause: (ms: number) => Promise<unknown>): Promise<FailedChange[]> => {
  const latest = new Map(failed.map((change) => [change.record, change]))
  for (const ms of PAUSES) {
    const own = [...latest.values()].filter(({ error }) => !isRetryable(error)).map(({ record }) => record)
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

/** Parks a change, unless a retry may succeed. Returns its sequence number if the stream must repeat it. */
const parkUnlessRetryable = async ({ record, error }: FailedChange): Promise<string | undefined> => {
  const sequence = record.dynamodb?.SequenceNumber ?? ''
  const fields = { sequence, error: nameOf(error) }
  if (isRetryable(error)) {
    log('warn', 'events of a change not written, will be retried', {
      event: 'dispatcher.event_not_written',
      ...fields,
    })
    return sequence
  }
  const event = { event: 'dispatcher.change_parked', ...fields } as const
  measure('error', 'change parked', event, { values: { ChangesParked: 1 } })
  return (await park(record)) ? undefined : sequence
}

const nameOf = (error: unknown): string => (error === undefined ? 'the process died' : errorName(error))

/** False if the change fails again: it stays parked. */
const dispatchParked = async (record: DynamoDBRecord): Promise<boolean> => {
  const [notWoken, failed] = await Promise.all([wakeLanesOf([record]), dispatchEvents([record])])
  for (const { error } of failed)
    log('error', 'parked change failed again', { event: 'dispatcher.parked_again', error: nameOf(error) })
  return notWoken === undefined && failed.length === 0
}

/**
 * Dispatches all parked changes again, the oldest first: for an operator, after the cause was fixed. No event is
 * written twice. `left` is the number of changes that stay parked. Throws `store.unavailable`.
 */
export const redriveParked = async (): Promise<{ done: number; left: number }> => {
  const redriven = { done: 0, left: 0 }
  for await (const { record, remove } of parkedChanges()) {
    if (await dispatchParked(record)) {
      await remove()
      redriven.done += 1
    } else redriven.left += 1
  }
  return redriven
}
