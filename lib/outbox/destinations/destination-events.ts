/** How an event changes a destination, and what is done after the change. */

import { AgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { measure } from '../../metrics.ts'
import { dueFor } from '../../store/due.ts'
import type { Updated } from '../../store/write.ts'
import { makeDueNow, type Update } from '../lanes/index.ts'
import type { WakeUp } from '../wake-ups/index.ts'
import {
  addCountedFailure,
  IGNORED_FOR,
  MAX_SLOW_TIMES,
  MAX_STORED_LANES,
  probeDelay,
  QUICK_FOR,
  SLOW_FOR,
  SLOW_MS,
  shouldClose,
} from './circuit-breaker.ts'
import { type Destination, type DestinationChange, isClosed, isSlow, shortName, shortNamesOf } from './destination.ts'

/** An attempt has failed because of the destination. */
interface LaneFailure {
  lane: string
  /** The lane's owner; undefined for a destination that is not shared. */
  party: string | undefined
  scope: 'connection' | 'gateway'
  /** Whether the attempt was a probe. */
  probe: boolean
  /** In [0, 1). */
  random: number
}

export type DestinationEvent =
  | ({ kind: 'failed' } & LaneFailure)
  /** `delivered`: an attempt has reached it. `reached`: the same for a probe, or an endpoint was enabled or deleted. */
  | { kind: 'delivered' | 'reached'; lane: string }
  /** Duration of an attempt, finished or running (ms), and whether it had a response. */
  | { kind: 'took'; took: number; answered: boolean }
  /** A lane is in its waiting list, or is about to be added. */
  | { kind: 'awaited' }

/** The change that an event causes; undefined if there is none. `now` in ms since the epoch. */
export const changeBy = (read: Destination, event: DestinationEvent, now: number): DestinationChange | undefined => {
  switch (event.kind) {
    case 'failed':
      return changeByFailure(read, event, now)
    case 'delivered':
      return changeByDelivery(read, event.lane)
    case 'reached':
      return changeByOpening(read, event.lane, now)
    case 'took':
      if (event.took >= SLOW_MS) return changeBySlowAttempt(read, now)
      return event.answered ? changeByQuickResponse(read, now) : undefined
    case 'awaited':
      return read.dueAt === undefined ? { set: { rounds: 0, ...dueFor(read.destination, now + 1_000) } } : undefined
  }
}

/** Counts a failure, and closes the destination if there are enough. Failures of `ignored` lanes do not count. */
const changeByFailure = (read: Destination, failure: LaneFailure, now: number): DestinationChange | undefined => {
  const { destination, suspicions = [], ignored = [] } = read
  const { party, scope: fault, probe, random } = failure
  const added = { ...shortNamesOf(failure.lane), at: now }
  const others = suspicions.filter(({ lane }) => lane !== added.lane)
  if (isClosed(read)) return probe ? { set: { suspicions: [...others, added].slice(-MAX_STORED_LANES) } } : undefined
  const counted = ignored.filter(({ until }) => until > now)
  if (counted.some(({ lane }) => lane === added.lane)) return undefined
  const all = addCountedFailure(suspicions, party === undefined ? { ...added, own: failure.lane } : added)
  if (fault !== 'connection' && !shouldClose(all, counted.length > 0)) return { set: { suspicions: all } }
  const at = now + probeDelay(0, random)
  return { set: { suspicions: all, closedAt: now, probeAt: at, rounds: 0, ...dueFor(destination, at) } }
}

/** After a success, earlier failures no longer count, and new failures of the lane count again. */
const changeByDelivery = (read: Destination, lane: string): DestinationChange | undefined => {
  const { suspicions = [], ignored = [] } = read
  const others = ignored.filter((one) => one.lane !== shortName(lane))
  if (isClosed(read) || (suspicions.length === 0 && others.length === ignored.length)) return undefined
  return { set: { ignored: others }, remove: ['suspicions'] }
}

/**
 * Opens a destination that `lane` has reached, so that its waiting lanes are released. New failures of the other lanes
 * that had closed it do not count for a day, because those lanes may be the cause.
 */
const changeByOpening = (read: Destination, lane: string, now: number): DestinationChange | undefined => {
  if (!isClosed(read)) return undefined
  const name = shortName(lane)
  const until = now + IGNORED_FOR
  const others = (read.suspicions ?? []).filter((one) => one.lane !== name).map((one) => ({ lane: one.lane, until }))
  const before = (read.ignored ?? []).filter((one) => one.until > now && one.lane !== name)
  const ignored = [...before, ...others].slice(-MAX_STORED_LANES)
  const set = { ignored, rounds: 0, ...dueFor(read.destination, now) }
  return { set, remove: ['closedAt', 'probeAt', 'suspicions'] }
}

const changeBySlowAttempt = (read: Destination, now: number): DestinationChange | undefined => {
  const { slowUntil = 0, slowTimes = 0, slowLeft } = read
  const times = isSlow(read, now) ? slowTimes : Math.min(slowTimes + 1, MAX_SLOW_TIMES)
  const left = 2 ** (times - 1)
  // While a destination stays slow, this is written once a minute.
  if (slowLeft === left && slowUntil > now + SLOW_FOR - 60_000) return undefined
  return { set: { slowUntil: now + SLOW_FOR, slowTimes: times, slowLeft: left }, remove: ['quickUntil'] }
}

/**
 * A slow destination counts as quick again after one quick response, because a mediator may be late once. Each time
 * that it becomes slow again, it needs twice as many. A destination that is always quick is written twice a month.
 */
const changeByQuickResponse = (read: Destination, now: number): DestinationChange | undefined => {
  const { slowLeft = 1, quickUntil = 0 } = read
  const set = { quickUntil: now + QUICK_FOR }
  if (!isSlow(read, now)) return quickUntil < now + QUICK_FOR / 2 ? { set } : undefined
  return slowLeft > 1 ? { set: { slowLeft: slowLeft - 1 } } : { set, remove: ['slowUntil', 'slowLeft'] }
}

/** The I/O of a report. Times are ms since the epoch. */
export interface DestinationActions {
  destination(destination: string, now: number): Promise<Destination>
  /** From the cache, if this process has read it in the last seconds. */
  recentDestination(destination: string, now: number): Promise<Destination>
  /** Undefined if it has changed since it was read. */
  change(read: Destination, change: DestinationChange, now: number): Promise<Destination | undefined>
  update(update: Update): Promise<Updated>
  /** `delay` in ms. */
  wakeLater(wakeUp: WakeUp, delay: number): Promise<void>
}

/** Maximum number of retries after concurrent changes of the destination. */
const MAX_TRIES = 10

/** Records an event of a destination, and returns its new state. `now` in ms since the epoch. */
export const report = async (
  actions: DestinationActions,
  destination: string,
  event: DestinationEvent,
  now: number,
): Promise<Destination> => {
  for (let tries = 0; ; tries++) {
    const read = await actions.destination(destination, now)
    const change = changeBy(read, event, now)
    if (change === undefined || tries === MAX_TRIES) return read
    const after = await actions.change(read, change, now)
    if (after === undefined) continue
    await afterChange(actions, after, event, now)
    return after
  }
}

/** The same, but without a request if the event changes nothing of the known state `read`. */
export const reportIfChanged = async (
  actions: DestinationActions,
  read: Destination,
  event: DestinationEvent,
  now: number,
): Promise<Destination> =>
  changeBy(read, event, now) === undefined ? read : report(actions, read.destination, event, now)

/** What is done after a change was written: the log, and wake-ups. */
const afterChange = async (
  actions: DestinationActions,
  { destination, closedAt, dueAt, suspicions = [] }: Destination,
  event: DestinationEvent,
  now: number,
): Promise<void> => {
  if (dueAt === undefined) return
  if (event.kind === 'reached') log('info', 'destination opened', { event: 'destination.opened', destination })
  else if (event.kind === 'failed' && closedAt === now) {
    const fields = {
      event: 'destination.closed',
      destination,
      fault: event.scope,
      failures: suspicions.length,
    } as const
    measure('warn', 'destination closed', fields, { values: { DestinationsClosed: 1 } })
    // By their retry plans these lanes would wait for hours. Due now, they join the waiting list, and are released with
    // it.
    for (const { own } of suspicions)
      if (own !== undefined && own !== event.lane) await actions.update(makeDueNow(own, now))
  } else if (event.kind !== 'awaited') return
  await actions.wakeLater({ destination, at: dueAt }, dueAt - now)
}

/**
 * Makes a destination due, unless it is in the index `due` already, so that its waiting lanes are released. Throws
 * `store.conflict`.
 */
export const ensureDestinationDue = async (
  actions: DestinationActions,
  destination: string,
  now: number,
): Promise<void> => {
  const { dueAt } = await report(actions, destination, { kind: 'awaited' }, now)
  if (dueAt === undefined) throw new AgentError('store.conflict', 'too many concurrent changes of the destination')
}

/** The same, but without a request if the cache says that it is due. */
export const ensureDueUnlessCached = async (
  actions: DestinationActions,
  destination: string,
  now: number,
): Promise<void> => {
  const { dueAt } = await actions.recentDestination(destination, now)
  if (dueAt === undefined) await ensureDestinationDue(actions, destination, now)
}
