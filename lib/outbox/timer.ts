/**
 * Handles wake-ups that do not start a delivery directly: delayed ones, those of destinations, and those in dead-letter
 * queues.
 */

import type { SQSRecord } from 'aws-lambda'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { ensureDue, onDestinationDue } from './destinations/index.ts'
import { ensureLaneDue } from './lanes/index.ts'
import { decodeWakeUp, isForLane, type WakeUp, wakeLanes } from './wake-ups/index.ts'

type Received = Pick<SQSRecord, 'body' | 'messageId'>

const decodeOrMeasure = ({ body, messageId }: Received): WakeUp | undefined => {
  const wakeUp = decodeWakeUp(body)
  const fields = { event: 'wake_up.malformed', messageId } as const
  if (wakeUp === undefined) measure('error', 'queue message is not a wake-up', fields, { values: { WakeUpsDead: 1 } })
  return wakeUp
}

/**
 * Forwards wake-ups of lanes to the fast queue, and handles those of destinations. Returns the ids of the failed ones.
 */
export const handleWakeUps = async (records: SQSRecord[]): Promise<string[]> => {
  const failed = await Promise.all(
    records.map(async (record) => {
      const wakeUp = decodeOrMeasure(record)
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
    log('error', 'wake-up not handled', { event: 'wake_up.failed', error: errorName(error) })
    return false
  }
}

/** A lane whose wake-up is in a dead-letter queue is due again after this time (ms). */
const RECOVERY_DELAY_MS = 60_000

/** Puts the lanes and destinations of these wake-ups into the index `due`. Throws `store.unavailable`. */
export const recover = async (records: Received[]): Promise<void> => {
  for (const record of records) {
    const wakeUp = decodeOrMeasure(record)
    if (wakeUp === undefined) continue
    const fields = { event: 'wake_up.dead', messageId: record.messageId } as const
    measure('error', 'wake-up failed permanently', fields, { values: { WakeUpsDead: 1 } })
    await (isForLane(wakeUp)
      ? ensureLaneDue(wakeUp.lane, Date.now() + RECOVERY_DELAY_MS)
      : ensureDue(wakeUp.destination, Date.now()))
  }
}
