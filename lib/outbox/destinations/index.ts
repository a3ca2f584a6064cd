/** Destinations: their state, the lanes that wait for them, probes and releases. */
export { failureScopeOf, reachedBy, SLOW_MS } from './circuit-breaker.ts'
export { type Destination, isClosed, isQuick, isSlow, type Target } from './destination.ts'
export { ensureDue, readWithDestination, recentTarget, reportToDestination } from './destination-access.ts'
export { DUE_ACTIONS, type DueActions, onDestinationDue } from './destination-due.ts'
export { ensureDestinationDue, ensureDueUnlessCached, report, reportIfChanged } from './destination-events.ts'
export { type Slot, takeSlot } from './slow-destination.ts'
export { countWaitingLanes, entryRemoval, entryWrite, newEntry } from './waiting-list.ts'
