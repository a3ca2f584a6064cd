/** Repairs lanes that a wake-up cannot lease: an invocation that died may have left them in an unfinished state. */

import type { Actions } from './actions.ts'
import { ensureDueUnlessCached } from './destinations/index.ts'
import { type Lane, makeDueAt } from './lanes/index.ts'
import type { LaneWakeUp } from './wake-ups/index.ts'

/**
 * Repairs a lane that is leased or waits (`found`: its item). `repeated`: the wake-up was received before, so its
 * invocation has died. `now` in ms since the epoch. Throws `store.unavailable`, `store.conflict`.
 */
export const repairLane = async (
  actions: Actions,
  { lane, reason }: LaneWakeUp,
  { lease, leaseUntil = 0, dueAt, waiting, waitsFor }: Partial<Lane>,
  { repeated, now }: { repeated: boolean; now: number },
): Promise<void> => {
  // If it died with the lease, nothing releases the lease. So the lane is due when the lease ends.
  if (repeated && lease !== undefined) {
    const at = dueAt ?? leaseUntil
    if (dueAt === undefined) await actions.update(makeDueAt(lane, at))
    await actions.wakeLater({ lane, reason: { kind: 'due', at } }, at - now)
  }
  // It may have died before it sent the wake-up to the slow queue. If not, the queue drops this duplicate.
  if (repeated && waiting !== undefined && waitsFor === undefined)
    await actions.wakeLanes([{ lane, reason: { kind: 'released', waiting } }], 'slow')
  // The entry that was probed is outdated, and must not be chosen again.
  if (reason.kind === 'probe' && waiting !== reason.waiting)
    await actions.removeEntries(reason.destination, [reason.waiting])
  // An invocation may have died right after it had added the lane to a waiting list. That list is read only if the
  // destination is in the index `due`.
  if (waitsFor !== undefined && dueAt === undefined && lease === undefined)
    await ensureDueUnlessCached(actions, waitsFor, now)
}
