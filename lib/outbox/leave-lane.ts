/** How a delivery records the outcome of an item, and how it leaves its lane. Pure. */
import { AgentError, errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { type Measurements, measure } from '../metrics.ts'
import { isRetryable } from '../store/faults.ts'
import type { TableWrite } from '../store/write.ts'
import { awaitDestination, awaitUnlessDue } from './destination-events.ts'
import { type Lane, type LeasedLane, laneWrites, toEnter, type Wait } from './lane.ts'
import { addFault, type OwnFaults } from './own-faults.ts'
import { ask, type By, type OrElse, pauseBefore, type Step, withLine } from './step.ts'
import { entryRemoval, entryWrite, newEntry } from './waiting-list.ts'
import type { LaneWakeUp } from './wake-up.ts'

/** Maximum number of repetitions of a write that conflicts with another transaction. */
const MAX_CONFLICTS = 5

/**
 * AWS stops a chain of functions that call each other through SQS after 16. Before that, the lane is left to the sweep.
 */
const MAX_HOPS = 12

/** A lane that was handed over is due after this time (ms), in case its wake-up is lost. */
const HANDED_OVER_MS = 15 * 60_000

/** Ms until a lane is tried again after a fault of our own or of AWS; doubled with each failure, up to the maximum. */
const AFTER_FAULT_MS = 5_000
const MAX_AFTER_FAULT_MS = 5 * 60_000

/** What the delivery of a lane knows. */
export interface Delivery {
  lane: LeasedLane
  wakeUp: LaneWakeUp
  /** The queue of the wake-up. In the fast one, only lanes of destinations that are known to be quick are delivered. */
  queue: 'fast' | 'slow'
  /** After this time no attempt is started; ms since the epoch. */
  endsAt: number
  /** The lease was released. */
  ended: boolean
  /** The fault after which the lane is left. */
  fault?: { error: unknown }
  /** Items that this delivery is done with. */
  done: number
  /** The item that is being delivered, its failed attempts, and faults of our own at it. */
  item?: string | undefined
  failures: number
  faults: OwnFaults | undefined
  /** The process of the last holder has ended. */
  holderDied: boolean
  /** The lane may still have an entry in a waiting list. The entry of a released lane is removed with its wake-up. */
  inList: boolean
  probes: boolean
  /** The destination of the last attempt is known to be quick. */
  isQuick?: boolean
  /** What became of the items. */
  counts: Measurements
}

/** The delivery has ended. The outcomes of its attempts are one line of the log; none where nothing was tried. */
export const end = ({ counts: values }: Delivery, step: Step = { result: undefined }): Step =>
  Object.keys(values).length === 0
    ? step
    : withLine(() => measure('info', 'a delivery has ended', { event: 'outbox.delivery_ended' }, { values }), step)

/**
 * The lane waits after a fault of our own or of AWS. If that cannot be written, the fault is thrown: then the wake-up
 * is received again.
 */
export const onFault =
  (d: Delivery): OrElse =>
  (error, by) => {
    // After a conflict another invocation has the lane, and has read all that was committed before this one.
    if (d.fault !== undefined && isAgentError(error, 'store.conflict')) return end(d)
    if (d.fault !== undefined || d.ended) return end(d, d.fault ?? { error })
    const line = () =>
      log('error', 'a delivery broke off', {
        ...{ event: 'outbox.delivery_failed', lane: d.lane.lane },
        error: errorName(error),
      })
    const wait = Math.min(MAX_AFTER_FAULT_MS, AFTER_FAULT_MS * 2 ** Math.min(d.failures, 10))
    const faults = d.item === undefined || isRetryable(error) ? d.faults : addFault(d.faults, d.item, 'errors', by.now)
    const waits = { at: by.now + wait, failures: d.failures + 1, faults }
    return withLine(line, waitUntil({ ...d, fault: { error } }, waits, by))
  }

/** A step that contents make: an error of theirs is a fault at the item. */
export const guard = (d: Delivery, by: By, step: () => Step): Step => {
  try {
    return step()
  } catch (error) {
    return onFault(d)(error, by)
  }
}

/** What an attempt has shown is recorded. An error is only logged, because the next attempt shows the same. */
export const orLog =
  (what: string, next: (by: By) => Step): OrElse =>
  (error, by) => {
    const line = () =>
      log('warn', 'what an attempt has shown was not written down', {
        ...{ event: 'outbox.not_noted', what },
        error: errorName(error),
      })
    return withLine(line, next(by))
  }

/**
 * Writes a transaction, all of whose writes depend on the lease. `next` gets the indexes of those whose condition
 * failed.
 */
const transact = (d: Delivery, writes: TableWrite[], next: (failed: number[], by: By) => Step, conflicts = 0): Step => {
  const again = () => transact(d, writes, next, conflicts + 1)
  return ask(
    'transact',
    [writes],
    (result, by) => {
      if (result.written) return next([], by)
      if (result.failed.length > 0) return next(result.failed, by)
      if (conflicts < MAX_CONFLICTS) return pauseBefore(conflicts, by, again, onFault(d))
      return onFault(d)(new AgentError('store.unavailable', 'other transactions keep the lane from being written'), by)
    },
    onFault(d),
  )
}

const overtaken = (d: Delivery, by: By): Step =>
  onFault(d)(new AgentError('store.conflict', 'the lane has another holder'), by)

/** The same if every condition has to hold. */
export const write = (d: Delivery, writes: TableWrite[], next: (by: By) => Step): Step =>
  transact(d, writes, (failed, by) => (failed.length === 0 ? next(by) : overtaken(d, by)))

/** Releases the lease, and goes on with what needs none. */
const release = (
  d: Delivery,
  writes: TableWrite[],
  next: (left: Delivery, by: By) => Step = (left) => end(left),
): Step => write(d, writes, (by) => next({ ...d, ended: true }, by))

/** Removes the lane's entry from the waiting list, if it is still there. */
const entryRemovals = ({ inList, lane: { waiting, waitsFor } }: Delivery): TableWrite[] =>
  inList && waiting !== undefined && waitsFor !== undefined ? [entryRemoval(waitsFor, waiting)] : []

/**
 * Records an item's outcome. With the last one the lane ends, unless an item was committed concurrently: then it is
 * read again.
 */
export const finish = <D extends Delivery>(
  d: D,
  writes: TableWrite[],
  isLast: boolean,
  next: (after: D, by: By) => Step,
): Step => {
  const after = { ...d, failures: 0, item: undefined }
  const keep = (go: TableWrite): Step =>
    write(d, [...writes, go, ...entryRemovals(d)], (by) => next({ ...after, inList: false, faults: undefined }, by))
  if (!isLast) return keep(laneWrites.nextItem(d.lane))
  return transact(d, [...writes, laneWrites.end(d.lane), ...entryRemovals(d)], (failed, by) => {
    if (failed.length === 0) return next({ ...after, ended: true }, by)
    if (failed.every((index) => index === writes.length)) return keep(laneWrites.readAgain(d.lane))
    return overtaken(d, by)
  })
}

/** Ends a lane in which nothing can be delivered. */
export const remove = (d: Delivery): Step => release(d, [laneWrites.end(d.lane)])

/** The lane waits for a time. `writes` record the attempt. */
export const waitUntil = (d: Delivery, wait: Omit<Wait, 'now'>, { now }: By, writes: TableWrite[] = []): Step => {
  const { lane } = d.lane
  const { at } = wait
  const waits = laneWrites.wait(d.lane, { ...wait, now })
  return release(d, [...writes, waits, ...entryRemovals(d)], (left, by) =>
    ask('wakeLater', [{ lane, reason: { kind: 'due', at } }, at - by.now], () => end(left), onFault(left)),
  )
}

/** The lane waits until its destination is open again, or has room. */
export const waitFor = (
  d: Delivery,
  { destination, giveUpAt }: { destination: string; giveUpAt: number },
  { now, newId }: By,
  writes: TableWrite[] = [],
): Step => {
  const { lane } = d.lane
  // A lane that is still in the list gets an entry of another name, so that a repeated wake-up has nothing to do.
  const entry = newEntry(lane, giveUpAt, newId())
  const waits = [
    laneWrites.waitForDestination(d.lane, { entry, destination }),
    entryWrite(destination, { lane, entry, now }),
  ]
  // Before the lane is in the list and after it, because an invocation that finds the list empty removes the
  // destination from the index.
  const join = () =>
    release(d, [...writes, ...waits, ...entryRemovals(d)], (left) =>
      awaitDestination(destination, now, () => end(left), onFault(left)),
    )
  return awaitUnlessDue(destination, now, join, onFault(d))
}

/** Hands the lane over to the slow queue. */
export const handOver = (d: Delivery, { now }: By): Step => {
  const { lane, lease } = d.lane
  const { reason: woken } = d.wakeUp
  const isProbe = d.probes && woken.kind === 'probe'
  const reason = isProbe ? { ...woken, at: now } : ({ kind: 'released', waiting: `slow|${lease}` } as const)
  const writes = isProbe
    ? [laneWrites.handOverProbe(d.lane)]
    : [laneWrites.handOver(d.lane, reason.waiting, now + HANDED_OVER_MS), ...entryRemovals(d)]
  return release(d, writes, (left) =>
    ask(
      'wakeLanes',
      [[{ lane, reason }], 'slow'],
      ([accepted]) => {
        if (accepted === true) return end(left)
        // The wake-up is received again, and tries this again. A probe needs no repetition, because another one
        // follows.
        const error = new AgentError('store.unavailable', 'the slow queue does not answer')
        const line = () => log('warn', 'a lane was not handed over', { event: 'outbox.not_handed_over', lane })
        return withLine(line, isProbe ? end(left) : end(left, { error }))
      },
      onFault(left),
    ),
  )
}

/** Ends the delivery in favour of other lanes. The lane is due again at once. */
export const yieldLane = (d: Delivery, { now: at }: By): Step => {
  const { lane } = d.lane
  const hops = (d.wakeUp.hops ?? 0) + 1
  const bulkhead = d.queue === 'fast' ? 'fast' : d.isQuick ? 'released' : 'slow'
  return release(d, [laneWrites.wait(d.lane, { at, failures: d.failures, now: at })], (left) =>
    hops > MAX_HOPS
      ? end(left)
      : ask('wakeLanes', [[{ lane, reason: { kind: 'due', at }, hops }], bulkhead], () => end(left), onFault(left)),
  )
}

/**
 * Repairs a lane that another invocation holds or that waits (`found`): one that died may have left it in an unfinished
 * state. `repeated`: the wake-up was received before, so its invocation has died. `now` in ms since the epoch.
 */
export const repair = (
  { lane, reason }: LaneWakeUp,
  { lease, leaseUntil = 0, dueAt, waiting, waitsFor }: Partial<Lane>,
  { repeated, now }: { repeated: boolean; now: number },
): Step => {
  const end: Step = { result: undefined }
  // It died right after it had put the lane into a waiting list: without the destination's entry in the index `due`,
  // that list would never be read.
  const readList = (): Step =>
    waitsFor === undefined || dueAt !== undefined || lease !== undefined
      ? end
      : awaitUnlessDue(waitsFor, now, () => end)
  // An entry of a lane that no longer waits under it must not be chosen for a probe again.
  const leave = (): Step =>
    reason.kind === 'probe' && waiting !== reason.waiting
      ? ask('removeEntries', [reason.destination, [reason.waiting]], readList)
      : readList()
  if (!repeated) return leave()
  // It died before it sent the lane's wake-up to the slow queue. If it did send it, the queue drops this duplicate.
  const handOverAgain = (): Step =>
    waiting === undefined || waitsFor !== undefined
      ? leave()
      : ask('wakeLanes', [[{ lane, reason: { kind: 'released', waiting } }], 'slow'], leave)
  if (lease === undefined) return handOverAgain()
  // It died perhaps with the lease, which is never released then. So the lane is due when the lease is over.
  const at = dueAt ?? leaseUntil
  const wake = (): Step => ask('wakeLater', [{ lane, reason: { kind: 'due', at } }, at - now], handOverAgain)
  return dueAt === undefined ? ask('update', [toEnter(lane, at)], wake) : wake()
}
