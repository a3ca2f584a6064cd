/** Postpones a lane whose wake-up has waited in its queue for too long: the sweep wakes it again. */

import { Bounded } from '../bounded.ts'
import { ensureLaneDue, laneItem } from '../outbox/lanes/index.ts'
import type { LaneWakeUp } from '../outbox/wake-ups/index.ts'
import { laneOwner } from '../outbox/wake-ups/index.ts'
import { dueFor } from '../store/due.ts'
import { updateIf } from '../store/write.ts'

/**
 * How long a wake-up may wait in its queue, in ms. A FIFO queue considers only its first 120,000 messages, and delivers
 * those of a group one after the other: an owner with more of them would fill the queue and block all others. To
 * postpone a lane takes only one write. At least the time of a lease: a later holder of the lane has read the item of
 * the wake-up. In the slow queue an attempt may take 15 s.
 */
const MAX_QUEUED = { fast: 45_000, slow: 180_000 }

interface Queued {
  queue: 'fast' | 'slow'
  /** From the time the wake-up was sent to its first receipt, in ms. */
  queuedFor: number
  /** Ms since the epoch. */
  now: number
}

const MINUTE = 60_000

/**
 * Number of late wake-ups of one owner that a process still delivers in a minute: some are only late because an earlier
 * one's function has died.
 */
const MAX_LATE = 5

/**
 * By owner. Each process counts alone: if many wake-ups are late, each process sees it. Times are ms since the epoch.
 */
const lateWakeUps = new Bounded<string, { since: number; count: number }>(1_000)

const isOneOfMany = (owner: string, now: number): boolean => {
  const known = lateWakeUps.get(owner)
  const { since, count } = known !== undefined && now - known.since < MINUTE ? known : { since: now, count: 0 }
  lateWakeUps.set(owner, { since, count: count + 1 })
  return count >= MAX_LATE
}

/**
 * Postpones the lane, if its wake-up is one of many late ones. Returns whether it did. A `committed` wake-up changes
 * nothing of a lane that waits already. A probe is never postponed, because other lanes wait for its result. Throws
 * `store.unavailable`, `store.conflict`.
 */
export const postpone = async ({ lane, reason }: LaneWakeUp, { queue, queuedFor, now }: Queued): Promise<boolean> => {
  if (!(queuedFor > MAX_QUEUED[queue]) || reason.kind === 'probe' || !isOneOfMany(laneOwner(lane), now)) return false
  if (reason.kind === 'due') await makeDueAgain(lane, reason.at, now)
  else await ensureLaneDue(lane, now, reason.kind === 'committed' ? { absent: ['dueAt', 'waiting'] } : undefined)
  return true
}

/**
 * The lane is in the index `due` already. With a new time the sweep wakes it in a minute, after those that have waited
 * longer.
 */
const makeDueAgain = async (lane: string, at: number, now: number): Promise<void> => {
  const condition = { equals: laneItem.attributes({ dueAt: at }), absent: ['lease'] }
  await updateIf(laneItem.addressOf({ lane }), { set: laneItem.attributes(dueFor(lane, now)) }, condition)
}
