/** Handles due destinations: probes a closed one, and releases waiting lanes of an open one. */

import { dueFor } from '../../store/due.ts'
import type { Address } from '../../store/keys.ts'
import { getItem, type Item } from '../../store/table.ts'
import {
  type Bulkhead,
  type DestinationWakeUp,
  type LaneWakeUp,
  laneAddress,
  originOf,
  wakeLanes,
} from '../wake-ups/index.ts'
import { laneToProbe, probeDelay } from './circuit-breaker.ts'
import { type Destination, isClosed, isQuick, isSlow, LEAVE_INDEX, shortNamesOf } from './destination.ts'
import { DESTINATION_ACTIONS } from './destination-access.ts'
import { type DestinationActions, ensureDestinationDue } from './destination-events.ts'
import { freeSlots } from './slow-destination.ts'
import { type Entry, entriesOfRandomShard, removeEntry, someEntries } from './waiting-list.ts'

/** Times are ms since the epoch. */
export interface DueActions extends DestinationActions {
  get(address: Address): Promise<Item | undefined>
  freeSlots(origin: string, now: number): Promise<number>
  /** Entries of a waiting list; with `until` only those whose first item is given up by then. */
  someEntries(destination: string, limit: number, until?: number): Promise<Entry[]>
  entriesOfRandomShard(destination: string, limit: number, random: number): Promise<Entry[]>
  removeEntries(destination: string, entries: string[]): Promise<unknown>
  /** Returns for each whether the queue has accepted it. */
  wakeLanes(wakeUps: LaneWakeUp[], bulkhead: Bulkhead): Promise<boolean[]>
}

export const DUE_ACTIONS: DueActions = {
  ...DESTINATION_ACTIONS,
  get: getItem,
  freeSlots,
  someEntries,
  entriesOfRandomShard,
  removeEntries: (destination, entries) => Promise.all(entries.map((entry) => removeEntry(destination, entry))),
  wakeLanes,
}

/** Maximum number of lanes that one run wakes to give up items. */
const MAX_EXPIRED = 256

/** Number of entries from which the lane of a probe is chosen: enough for lanes of many tenants. */
const MAX_CANDIDATES = 160

const SECOND = 1_000

/** Lanes released in the first second after a destination was opened; doubled with each release, up to the maximum. */
const FIRST_RELEASE = 16
const MAX_RELEASE = 64

/** Ms between two releases to a slow destination, where an attempt takes long. */
const SLOW_RELEASE = 10 * SECOND

/** Maximum time in ms that a release waits for the previous one, whose wake-ups may be lost. */
const MAX_RELEASE_WAIT = 60 * SECOND

interface DueContext {
  actions: DueActions
  /** Ms since the epoch. */
  now: number
  /** Gives a number in [0, 1). */
  random: () => number
}

/**
 * Probes a destination or releases its lanes, if it is still due at the time in the wake-up. `now` in ms since the
 * epoch, `random` gives a number in [0, 1). Throws `store.unavailable`.
 */
export const onDestinationDue = async (
  { destination, at }: DestinationWakeUp,
  now = Date.now(),
  random = Math.random,
  actions = DUE_ACTIONS,
): Promise<void> => {
  const due = { actions, now, random }
  const read = await actions.destination(destination, now)
  // SQS may have delivered this wake-up before, to a process that died in `leaveIndex` before it read the list again.
  if (read.dueAt === undefined) await ensureDueIfWaiting(due, destination)
  else if (read.dueAt === at) await (isClosed(read) ? probe(due, read) : release(due, read))
}

/** Wakes the lanes of entries. Removes the entries whose wake-ups the queue has accepted. */
const wake = async (
  { actions }: DueContext,
  destination: string,
  entries: Entry[],
  { kind, bulkhead }: { kind: 'released' | 'expired'; bulkhead: 'slow' | 'released' },
): Promise<void> => {
  if (entries.length === 0) return
  const wakeUps = entries.map(({ lane, entry }): LaneWakeUp => ({ lane, reason: { kind, waiting: entry } }))
  // In the slow queue, because many lanes may have waited, and other lanes must not wait behind them.
  const accepted = await actions.wakeLanes(wakeUps, bulkhead)
  const gone = entries.flatMap(({ entry }, index) => (accepted[index] === true ? [entry] : []))
  await actions.removeEntries(destination, gone)
}

/**
 * Probes a closed destination when its next probe is due, and wakes lanes whose items have waited too long, a limited
 * number each second. If the probe is late, the delay does not count as waiting.
 */
const probe = async (due: DueContext, read: Destination): Promise<void> => {
  const { actions, now, random } = due
  const { destination, rounds = 0, probeAt = 0 } = read
  const expired = await actions.someEntries(destination, MAX_EXPIRED, Math.min(now, probeAt))
  const isProbeDue = now >= probeAt
  const nextProbe = isProbeDue ? now + probeDelay(rounds + 1, random()) : probeAt
  const at = expired.length > 0 ? Math.min(now + SECOND, nextProbe) : nextProbe
  const set = { rounds: isProbeDue ? rounds + 1 : rounds, probeAt: nextProbe, ...dueFor(destination, at) }
  const updated = await actions.change(read, { set }, now)
  if (updated === undefined) return
  await wake(due, destination, expired, { kind: 'expired', bulkhead: 'released' })
  if (isProbeDue && !(await probeByLane(due, updated))) await leaveIndex(due, updated)
  else await actions.wakeLater({ destination, at }, at - now)
}

/** Chooses a lane and wakes it for a probe. False if no lane waits. */
const probeByLane = async ({ actions, now, random }: DueContext, read: Destination): Promise<boolean> => {
  const { destination, suspicions = [] } = read
  const entries = await actions.someEntries(destination, MAX_CANDIDATES)
  const lanes = entries.map((entry) => ({ entry, ...shortNamesOf(entry.lane) }))
  const found = laneToProbe(lanes, suspicions, random())?.entry
  if (found === undefined) return false
  const reason = { kind: 'probe', waiting: found.entry, destination, at: now } as const
  const origin = await actions.recentDestination(originOf(destination), now)
  await actions.wakeLanes([{ lane: found.lane, reason }], isQuick(origin, now) ? 'fast' : 'slow')
  return true
}

/** Releases the lanes that may be released now, and sets the time of the next release. */
const release = async (due: DueContext, read: Destination): Promise<void> => {
  const { actions, now } = due
  const { destination, rounds = 0 } = read
  const slow = isSlow(await actions.recentDestination(originOf(destination), now), now)
  const room = (await isReleaseWaiting(due, read)) ? 0 : await roomFor(due, read, slow)
  const entries = room === 0 ? [] : await entriesToRelease(due, destination, { slow, room })
  const [first] = entries
  const at = now + (slow ? SLOW_RELEASE : SECOND)
  const next = first && { rounds: rounds + 1, released: { lane: first.lane, entry: first.entry, at: now } }
  const updated = await actions.change(read, { set: { ...next, ...dueFor(destination, at) } }, now)
  if (updated === undefined) return
  if (room > 0 && first === undefined) return leaveIndex(due, updated)
  await wake(due, destination, entries, { kind: 'released', bulkhead: slow ? 'slow' : 'released' })
  await actions.wakeLater({ destination, at }, at - now)
}

/**
 * Whether the last release is still in the queue: the first of its lanes has not been leased. Many destinations may
 * open at the same time, and more wake-ups would delay all later ones.
 */
const isReleaseWaiting = async ({ actions, now }: DueContext, { released }: Destination): Promise<boolean> => {
  if (released === undefined || now >= released.at + MAX_RELEASE_WAIT) return false
  const lane = await actions.get(laneAddress(released.lane))
  return lane?.lease === undefined && lane?.waiting?.S === released.entry
}

/** Number of lanes that may be released now. Slots belong to the origin. */
const roomFor = async ({ actions, now }: DueContext, read: Destination, slow: boolean): Promise<number> =>
  slow
    ? actions.freeSlots(originOf(read.destination), now)
    : Math.min(MAX_RELEASE, FIRST_RELEASE * 2 ** Math.min(read.rounds ?? 0, 10))

const entriesToRelease = (
  { actions, random }: DueContext,
  destination: string,
  { slow, room }: { slow: boolean; room: number },
): Promise<Entry[]> =>
  slow ? actions.entriesOfRandomShard(destination, room, random()) : actions.someEntries(destination, room)

/**
 * Removes a destination whose list is empty from the index `due`. A lane may have been added before that, but after the
 * list was read, so the list is read again. This also holds after a failed condition, which may be the retry of a write
 * whose response was lost.
 */
const leaveIndex = async (due: DueContext, read: Destination): Promise<void> => {
  await due.actions.change(read, LEAVE_INDEX, due.now)
  await ensureDueIfWaiting(due, read.destination)
}

const ensureDueIfWaiting = async ({ actions, now }: DueContext, destination: string): Promise<void> => {
  const entries = await actions.someEntries(destination, 1)
  if (entries.length > 0) await ensureDestinationDue(actions, destination, now)
}
