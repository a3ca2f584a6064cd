/**
 * Handles wake-ups that do not deliver by themselves: delayed ones, those of destinations, and those that failed for
 * good.
 */

import type { SQSRecord } from 'aws-lambda'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { ensureDue, onDestinationDue } from './destinations/index.ts'
import { enterLane } from './lanes/index.ts'
import { decodeWakeUp, isForLane, type WakeUp, wakeLanes } from './wake-ups/index.ts'

type Received = Pick<SQSRecord, 'body' | 'messageId'>

const read = ({ body, messageId }: Received): WakeUp | undefined => {
  const wakeUp = decodeWakeUp(body)
  const fields = { event: 'wake_up.malformed', messageId } as const
  if (wakeUp === undefined)
    measure('error', 'a message of the queue is no wake-up', fields, { values: { WakeUpsDead: 1 } })
  return wakeUp
}

/**
 * Passes wake-ups of lanes on to the queue of deliveries, and handles those of destinations. Returns the ids of those
 * that failed.
 */
export const handleWakeUps = async (records: SQSRecord[]): Promise<string[]> => {
  const failed = await Promise.all(
    records.map(async (record) => {
      const wakeUp = read(record)
      return wakeUp === undefined || (await handle(wakeUp)) ? [] : [record.messageId]
    }),
  )
  return failed.flat()
}

const handle = async (wakeUp: WakeUp): Promise<boolean> => {
  try {
    if (isForLane(wakeUp)) return (await wakeLanes([wakeUp])).every((accepted) => accepted)
    await onDestinationDue(wakeUp)
    return true
  } catch (error) {
    log('error', 'a wake-up could not be handled', { event: 'wake_up.failed', error: errorName(error) })
    return false
  }
}

/** Time in ms after which a lane is tried again whose wake-up has failed for good. */
const RECOVERY_MS = 60_000

/** Puts the lanes and destinations of these wake-ups into the index `due`. Throws `store.unavailable`. */
export const recover = async (records: Received[]): Promise<void> => {
  for (const record of records) {
    const wakeUp = read(record)
    if (wakeUp === undefined) continue
    const fields = { event: 'wake_up.dead', messageId: record.messageId } as const
    measure('error', 'a wake-up has failed for good', fields, { values: { WakeUpsDead: 1 } })
    await (isForLane(wakeUp)
      ? enterLane(wakeUp.lane, Date.now() + RECOVERY_MS)
      : ensureDue(wakeUp.destination, Date.now()))
  }
}
