/** What an event changes of a destination, and what follows from that. */

import { AgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { measure } from '../../metrics.ts'
import { dueFor } from '../../store/due.ts'
import type { Updated } from '../../store/write.ts'
import { dueNow, type Update } from '../lanes/index.ts'
import type { WakeUp } from '../wake-ups/index.ts'
import {
  addSuspicion,
  closes,
  IGNORED_FOR,
  MAX_SLOW_TIMES,
  MAX_SUSPECTS,
  probeDelay,
  QUICK_FOR,
  SLOW_FOR,
  SLOW_MS,
} from './circuit-breaker.ts'
import { type Change, type Destination, isClosed, isSlow, shortName, suspectOf } from './destination.ts'

/** An attempt has failed by a fault that is the destination's own. */
interface LaneFailure {
  lane: string
  /** Undefined for a destination that is not shared. */
  party: string | undefined
  fault: 'connection' | 'gateway'
  /** Whether the attempt was a probe. */
  probe: boolean
  /** In [0, 1). */
  random: number
}

export type DestinationEvent =
  | ({ kind: 'failed' } & LaneFailure)
  /** An attempt has succeeded; one that probes has reached it. */
  | { kind: 'delivered' | 'reached'; lane: string }
  /** How long an attempt took, or has taken so far (ms), and whether it was answered. */
  | { kind: 'took'; took: number; answered: boolean }
  /** A lane is in its waiting list, or will be. */
  | { kind: 'awaited' }

/** The change that an event makes; undefined if it makes none. `now` in ms since the epoch. */
export const changeBy = (read: Destination, event: DestinationEvent, now: number): Change | undefined => {
  switch (event.kind) {
    case 'failed':
      return changeByFailure(read, event, now)
    case 'delivered':
      return changeByDelivery(read, event.lane)
    case 'reached':
      return opening(read, event.lane, now)
    case 'took':
      if (event.took >= SLOW_MS) return slower(read, now)
      return event.answered ? quicker(read, now) : undefined
    case 'awaited':
      return read.dueAt === undefined ? { set: { rounds: 0, ...dueFor(read.destination, now + 1_000) } } : undefined
  }
}

/**
 * Counts a failure, and closes the destination if there are enough. Lanes that failed while others succeeded do not
 * count.
 */
const changeByFailure = (read: Destination, failure: LaneFailure, now: number): Change | undefined => {
  const { destination, suspicions = [], ignored = [] } = read
  const { party, fault, probe, random } = failure
  const added = { ...suspectOf(failure.lane), at: now }
  const others = suspicions.filter(({ lane }) => lane !== added.lane)
  if (isClosed(read)) return probe ? { set: { suspicions: [...others, added].slice(-MAX_SUSPECTS) } } : undefined
  const counted = ignored.filter(({ until }) => until > now)
  if (counted.some(({ lane }) => lane === added.lane)) return undefined
  const all = addSuspicion(suspicions, party === undefined ? { ...added, own: failure.lane } : added)
  if (fault !== 'connection' && !closes(all, counted.length > 0)) return { set: { suspicions: all } }
  const at = now + probeDelay(0, random)
  return { set: { suspicions: all, closedAt: now, probeAt: at, rounds: 0, ...dueFor(destination, at) } }
}

/** If that is worth writing: earlier failures no longer count, and the lane counts again. */
const changeByDelivery = (read: Destination, lane: string): Change | undefined => {
  const { suspicions = [], ignored = [] } = read
  const others = ignored.filter((one) => one.lane !== shortName(lane))
  if (isClosed(read) || (suspicions.length === 0 && others.length === ignored.length)) return undefined
  return { set: { ignored: others }, remove: ['suspicions'] }
}

/**
 * Opens a destination that `lane` has reached. The failures of other lanes that had closed it do not count for a day,
 * because the lanes themselves may be the cause. From now on the waiting lanes are released.
 */
const opening = (read: Destination, lane: string, now: number): Change | undefined => {
  if (!isClosed(read)) return undefined
  const name = shortName(lane)
  const until = now + IGNORED_FOR
  const others = (read.suspicions ?? []).filter((one) => one.lane !== name).map((one) => ({ lane: one.lane, until }))
  const before = (read.ignored ?? []).filter((one) => one.until > now && one.lane !== name)
  const ignored = [...before, ...others].slice(-MAX_SUSPECTS)
  const set = { ignored, rounds: 0, ...dueFor(read.destination, now) }
  return { set, remove: ['closedAt', 'probeAt', 'suspicions'] }
}

const slower = (read: Destination, now: number): Change | undefined => {
  const { slowUntil = 0, slowTimes = 0, slowLeft } = read
  const times = isSlow(read, now) ? slowTimes : Math.min(slowTimes + 1, MAX_SLOW_TIMES)
  const left = 2 ** (times - 1)
  // For a destination that stays slow, one write a minute is enough.
  if (slowLeft === left && slowUntil > now + SLOW_FOR - 60_000) return undefined
  return { set: { slowUntil: now + SLOW_FOR, slowTimes: times, slowLeft: left }, remove: ['quickUntil'] }
}

/**
 * A slow destination counts as quick again after one quick answer, because a mediator may be late once. Each time that
 * it becomes slow again, it needs twice as many. For a destination that is always quick an answer is written twice a
 * month.
 */
const quicker = (read: Destination, now: number): Change | undefined => {
  const { slowLeft = 1, quickUntil = 0 } = read
  const set = { quickUntil: now + QUICK_FOR }
  if (!isSlow(read, now)) return quickUntil < now + QUICK_FOR / 2 ? { set } : undefined
  return slowLeft > 1 ? { set: { slowLeft: slowLeft - 1 } } : { set, remove: ['slowUntil', 'slowLeft'] }
}

/** What a report does in the table and the queues. Times are ms since the epoch. */
export interface DestinationActions {
  destination(destination: string, now: number): Promise<Destination>
  /** As this process has read it in the last seconds, if it has. */
  recentDestination(destination: string, now: number): Promise<Destination>
  /** Undefined if it is no longer as it was read. */
  change(read: Destination, change: Change, now: number): Promise<Destination | undefined>
  update(update: Update): Promise<Updated>
  /** After a time in ms. */
  wakeLater(wakeUp: WakeUp, delay: number): Promise<void>
}

/** A decision is made again this many times, if others have changed the destination at the same time. */
const MAX_TRIES = 10

/** Records what has happened at a destination, and returns it as it is then. `now` in ms since the epoch. */
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
    await follow(actions, after, event, now)
    return after
  }
}

/** The same, if it makes a difference to the destination as it was read before. */
export const reportIfChanged = async (
  actions: DestinationActions,
  read: Destination,
  event: DestinationEvent,
  now: number,
): Promise<Destination> =>
  changeBy(read, event, now) === undefined ? read : report(actions, read.destination, event, now)

/** What follows from a change that was written. */
const follow = async (
  actions: DestinationActions,
  { destination, closedAt, dueAt, suspicions = [] }: Destination,
  event: DestinationEvent,
  now: number,
): Promise<void> => {
  if (dueAt === undefined) return
  if (event.kind === 'reached') log('info', 'a destination is open again', { event: 'destination.opened', destination })
  else if (event.kind === 'failed' && closedAt === now) {
    const fields = {
      event: 'destination.closed',
      destination,
      fault: event.fault,
      failures: suspicions.length,
    } as const
    measure('warn', 'a destination is closed', fields, { values: { DestinationsClosed: 1 } })
    // By their retry plans these lanes would wait for hours. Woken now, they are added to the waiting list, and
    // released with the other lanes.
    for (const { own } of suspicions)
      if (own !== undefined && own !== event.lane) await actions.update(dueNow(own, now))
  } else if (event.kind !== 'awaited') return
  await actions.wakeLater({ destination, at: dueAt }, dueAt - now)
}

/**
 * Makes a destination due, unless it is in the index already, so that its waiting lanes are released. Throws
 * `store.conflict` if it cannot.
 */
export const awaitDestination = async (
  actions: DestinationActions,
  destination: string,
  now: number,
): Promise<void> => {
  const { dueAt } = await report(actions, destination, { kind: 'awaited' }, now)
  if (dueAt === undefined) throw new AgentError('store.conflict', 'the destination changed at the same time')
}

/** The same, unless this process has read in the last seconds that it is. */
export const awaitUnlessDue = async (actions: DestinationActions, destination: string, now: number): Promise<void> => {
  const { dueAt } = await actions.recentDestination(destination, now)
  if (dueAt === undefined) await awaitDestination(actions, destination, now)
}
