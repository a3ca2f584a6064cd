/** Leaves a lane to the table and the sweep if its wake-up has waited in its queue for too long. */

import { Bounded } from '../bounded.ts'
import { enterLane, laneItem } from '../outbox/lanes/index.ts'
import type { LaneWakeUp } from '../outbox/wake-ups/index.ts'
import { laneOwner } from '../outbox/wake-ups/index.ts'
import { dueFor } from '../store/due.ts'
import { updateIf } from '../store/write.ts'

/**
 * How long a wake-up may wait in its queue, in ms. A FIFO queue looks at its first 120,000 messages only, and gives out
 * those of a group one after the other: an owner with more of them than it delivers would fill the queue, and stop
 * everybody. To postpone one takes a write, so they leave faster than they come. At least a lease: whoever has the lane
 * then has read what the wake-up is about. In the slow queue an attempt may take 15 s.
 */
const MAX_QUEUED = { fast: 45_000, slow: 180_000 }

interface Queued {
  queue: 'fast' | 'slow'
  /** From the wake-up's arrival in the queue to its first receipt, in ms. */
  queuedFor: number
  /** Ms since the epoch. */
  now: number
}

const MINUTE = 60_000

/**
 * Late wake-ups of one owner in a minute that a process delivers all the same: some wait for one before them whose
 * function has died.
 */
const MAX_LATE = 5

/** By owner. Each process has its own: where many are late, all of them see that. Times are ms since the epoch. */
const late = new Bounded<string, { since: number; count: number }>(1_000)

const isOneOfMany = (owner: string, now: number): boolean => {
  const known = late.get(owner)
  const { since, count } = known !== undefined && now - known.since < MINUTE ? known : { since: now, count: 0 }
  late.set(owner, { since, count: count + 1 })
  return count >= MAX_LATE
}

/**
 * Whether the lane was left to the sweep. A commit changes nothing of a lane that waits already. A probe is never left,
 * because the lanes of others wait for what it finds out. Throws `store.unavailable`, `store.conflict`.
 */
export const postpone = async ({ lane, reason }: LaneWakeUp, { queue, queuedFor, now }: Queued): Promise<boolean> => {
  if (!(queuedFor > MAX_QUEUED[queue]) || reason.kind === 'probe' || !isOneOfMany(laneOwner(lane), now)) return false
  if (reason.kind === 'due') await beDueAgain(lane, reason.at, now)
  else await enterLane(lane, now, reason.kind === 'committed' ? { absent: ['dueAt', 'waiting'] } : undefined)
  return true
}

/**
 * The lane is in the index already. At a new time the sweep wakes it in a minute, and before it those that have waited
 * for longer.
 */
const beDueAgain = async (lane: string, at: number, now: number): Promise<void> => {
  const condition = { equals: laneItem.attributes({ dueAt: at }), absent: ['lease'] }
  await updateIf(laneItem.addressOf({ lane }), { set: laneItem.attributes(dueFor(lane, now)) }, condition)
}
