/** Destinations: what can be down, who waits for it, and what is done when its time has come. */
export { faultOf, reachedBy, SLOW_MS } from './circuit-breaker.ts'
export { type Destination, isClosed, isQuick, isSlow, type Target } from './destination.ts'
export { ensureDue, readWithDestination, recentTarget, reportToDestination } from './destination-access.ts'
export { DUE_ACTIONS, type DueActions, onDestinationDue } from './destination-due.ts'
export { awaitDestination, awaitUnlessDue, report, reportIfChanged } from './destination-events.ts'
export { type Slot, takeSlot } from './slow-destination.ts'
export { entryRemoval, entryWrite, newEntry, waitingAt } from './waiting-list.ts'
