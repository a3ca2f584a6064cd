/** Repairs a lane that a wake-up could not lease: an invocation that died may have left it in an unfinished state. */
import { ensureDue, recentDestination } from './destination.ts'
import { enterLane, type Lane } from './lane.ts'
import { wakeLanes, wakeLater } from './queues.ts'
import { removeEntry } from './waiting-list.ts'
import type { LaneWakeUp } from './wake-up.ts'

/**
 * `found` is the state of the lane, which another invocation holds or which waits. `repeated`: the wake-up was received before, so its invocation has
 * died. `now` in ms since the epoch. Throws `store.unavailable`, `store.conflict`.
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

/** The invocation of a repeated wake-up has died, perhaps with the lease, which is never released then. So the lane is due when the lease is over. */
const dueAfterLease = async (
  lane: string,
  { lease, leaseUntil = 0, dueAt }: Partial<Lane>,
  now: number,
): Promise<void> => {
  if (lease === undefined) return
  if (dueAt === undefined) await enterLane(lane, leaseUntil)
  const at = dueAt ?? leaseUntil
  await wakeLater({ lane, reason: { kind: 'due', at } }, at - now)
}

/** The same if it died before it sent the lane's wake-up to the slow queue. If it did send it, the queue drops this duplicate. */
const handOverAgain = async (lane: string, { waiting, waitsFor }: Partial<Lane>): Promise<void> => {
  if (waiting === undefined || waitsFor !== undefined) return
  await wakeLanes([{ lane, reason: { kind: 'released', waiting } }], 'slow')
}

/**
 * A wake-up with nothing to do may be the repetition of one whose process died right after it had put the lane into a waiting list: without the
 * destination's entry in the index `due`, that list would never be read. And an entry of a lane that no longer waits under it must not be chosen
 * for a probe again.
 */
const checkWaiting = async ({ reason }: LaneWakeUp, found: Partial<Lane>, now: number): Promise<void> => {
  const { waiting, waitsFor, dueAt, lease } = found
  if (reason.kind === 'probe' && waiting !== reason.waiting) await removeEntry(reason.destination, reason.waiting)
  if (waitsFor === undefined || dueAt !== undefined || lease !== undefined) return
  const destination = await recentDestination(waitsFor, now)
  if (destination.dueAt === undefined) await ensureDue(waitsFor, now)
}
