/** Lanes that a wake-up cannot lease: an invocation that died may have left one in an unfinished state. */

import type { Actions } from './actions.ts'
import { awaitUnlessDue } from './destinations/index.ts'
import { type Lane, toEnter } from './lanes/index.ts'
import type { LaneWakeUp } from './wake-ups/index.ts'

/**
 * Repairs a lane that another invocation holds or that waits (`found`). `repeated`: the wake-up was received before, so
 * its invocation has died. `now` in ms since the epoch. Throws `store.unavailable`, `store.conflict`.
 */
export const repairLane = async (
  actions: Actions,
  { lane, reason }: LaneWakeUp,
  { lease, leaseUntil = 0, dueAt, waiting, waitsFor }: Partial<Lane>,
  { repeated, now }: { repeated: boolean; now: number },
): Promise<void> => {
  // It died perhaps with the lease, which is never released then. So the lane is due when the lease is over.
  if (repeated && lease !== undefined) {
    const at = dueAt ?? leaseUntil
    if (dueAt === undefined) await actions.update(toEnter(lane, at))
    await actions.wakeLater({ lane, reason: { kind: 'due', at } }, at - now)
  }
  // It died before it sent the lane's wake-up to the slow queue. If it did send it, the queue drops this duplicate.
  if (repeated && waiting !== undefined && waitsFor === undefined)
    await actions.wakeLanes([{ lane, reason: { kind: 'released', waiting } }], 'slow')
  // An entry of a lane that no longer waits under it must not be chosen for a probe again.
  if (reason.kind === 'probe' && waiting !== reason.waiting)
    await actions.removeEntries(reason.destination, [reason.waiting])
  // It died right after it had put the lane into a waiting list: without the destination's entry in the index `due`,
  // that list would never be read.
  if (waitsFor !== undefined && dueAt === undefined && lease === undefined) await awaitUnlessDue(actions, waitsFor, now)
}
