/** What a wake-up does for a lane that it does not get: an invocation that died may have left something undone. */
import { ensureDue, recentDestination } from './destination.ts'
import { enterLane, type Lane } from './lane.ts'
import { wakeLanes, wakeLater } from './queues.ts'
import { removeEntry } from './waiting-list.ts'
import type { LaneWakeUp } from './wake-up.ts'

/**
 * `found` is the state of the lane that somebody else holds, or whose time has not come. `repeated`: the wake-up was received before, so its
 * invocation has died. `now` in ms since the epoch. Throws `store.unavailable`, `store.conflict`.
 */
export const repairLane = async (
  wakeUp: LaneWakeUp,
  found: Partial<Lane>,
  { now, repeated }: { now: number; repeated: boolean },
): Promise<void> => {
  if (repeated) {
    await dueAfterLease(wakeUp.lane, found, now)
    await handOverAgain(wakeUp.lane, found)
  }
  await checkWaiting(wakeUp, found, now)
}

/**
 * A wake-up that comes again is one whose invocation has died, perhaps with the lease: nobody will give that back. So the lane is due when
 * the lease is over.
 */
const dueAfterLease = async (
  lane: string,
  { lease, leaseUntil = 0, dueAt }: Partial<Lane>,
  now: number,
): Promise<void> => {
  if (lease === undefined || leaseUntil <= now || dueAt !== undefined) return
  await enterLane(lane, leaseUntil)
  await wakeLater({ lane, reason: { kind: 'due', at: leaseUntil } }, leaseUntil - now)
}

/** The same where it has died before the slow queue had the lane's wake-up. The queue drops this one if it has it. */
const handOverAgain = async (lane: string, { waiting, waitsFor }: Partial<Lane>): Promise<void> => {
  if (waiting === undefined || waitsFor !== undefined) return
  await wakeLanes([{ lane, reason: { kind: 'released', waiting } }], 'slow')
}

/**
 * A wake-up that has nothing to do may be the repetition of one whose process died right after it had put the lane into a waiting list:
 * without the destination's entry in the index of what is due, nobody would look at that list. And an entry of a lane that does not wait
 * for it any more must not be chosen for a probe again.
 */
const checkWaiting = async ({ reason }: LaneWakeUp, found: Partial<Lane>, now: number): Promise<void> => {
  const { waiting, waitsFor, dueAt, lease } = found
  if (reason.kind === 'probe' && waiting !== reason.waiting) await removeEntry(reason.destination, reason.waiting)
  if (waitsFor === undefined || dueAt !== undefined || lease !== undefined) return
  const destination = await recentDestination(waitsFor, now)
  if (destination.dueAt === undefined) await ensureDue(waitsFor, now)
}
