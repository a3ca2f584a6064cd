/** Lanes: what their items hold, leases, retry plans. */
export { type CorruptItem, logCorrupt } from './corrupt-item.ts'
export {
  dueNow,
  enterLane,
  type Lane,
  type LeasedLane,
  laneItem,
  laneWrites,
  toEnter,
  type Update,
  updateItem,
  type Wait,
} from './lane.ts'
export type { Attempt, LaneContents } from './lane-contents.ts'
export { firstOf, leaseLane } from './lease.ts'
export { addFault, isTooMany, type OwnFaults } from './own-faults.ts'
export { type Pausing, pauseBefore } from './pause.ts'
export { MESSAGE_PLAN, nextAttemptAt, WEBHOOK_PLAN } from './retry-plan.ts'
