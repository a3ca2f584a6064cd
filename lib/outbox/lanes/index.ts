/** Lanes: their state, leases and retry plans, and the interface to their contents. */
export { type CorruptItem, logCorrupt } from './corrupt-item.ts'
export { addInternalError, exceedsMaxErrors, type InternalErrors } from './internal-errors.ts'
export {
  ensureLaneDue,
  type Lane,
  type LeasedLane,
  laneItem,
  laneWrites,
  makeDueAt,
  makeDueNow,
  type Update,
  updateItem,
  type Wait,
} from './lane.ts'
export type { Attempt, LaneContents } from './lane-contents.ts'
export { firstOf, leaseLane } from './lease.ts'
export { type PauseActions, pauseBefore } from './pause.ts'
export { MESSAGE_PLAN, nextAttemptAt, WEBHOOK_PLAN } from './retry-plan.ts'
