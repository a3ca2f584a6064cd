/**
 * What is done when the time of a destination has come: a closed one is probed, and an open one releases lanes of its
 * waiting list.
 */

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
import { type Destination, isClosed, isQuick, isSlow, LEAVES_INDEX, suspectOf } from './destination.ts'
import { DESTINATION_ACTIONS } from './destination-access.ts'
import { awaitDestination, type DestinationActions } from './destination-events.ts'
import { freeSlots } from './slow-destination.ts'
import { type Entry, entriesOfRandomShard, removeEntry, someEntries } from './waiting-list.ts'

/** Times are ms since the epoch. */
export interface DueActions extends DestinationActions {
  get(address: Address): Promise<Item | undefined>
  freeSlots(origin: string, now: number): Promise<number>
  /** Entries of a waiting list; with `until` those that are given up by then. */
  someEntries(destination: string, limit: number, until?: number): Promise<Entry[]>
  entriesOfRandomShard(destination: string, limit: number, random: number): Promise<Entry[]>
  removeEntries(destination: string, entries: string[]): Promise<unknown>
  /** Whether the queue has accepted each. */
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

/** Maximum number of lanes that are woken at once to give up items. */
const MAX_EXPIRED = 256

/** Entries that are read to choose the lane of a probe: lanes of many tenants. */
const CANDIDATES = 160

const SECOND = 1_000

/** Lanes released in the first second after a destination was opened; doubled with each release, up to the maximum. */
const FIRST_RELEASE = 16
const MAX_RELEASE = 64

/** Ms between two releases to a slow destination, where an attempt takes long. */
const SLOW_RELEASE = 10 * SECOND

/** Maximum time in ms that a release waits for the one before, whose wake-up may be lost. */
const MAX_RELEASE_WAIT = 60 * SECOND

interface Due {
  actions: DueActions
  /** Ms since the epoch. */
  now: number
  /** Gives a number in [0, 1). */
  random: () => number
}

/**
 * Probes or releases, if the destination is still due at the time of the wake-up. `now` in ms since the epoch, `random`
 * gives a number in [0, 1). Throws `store.unavailable`.
 */
export const onDestinationDue = async (
  { destination, at }: DestinationWakeUp,
  now = Date.now(),
  random = Math.random,
  actions = DUE_ACTIONS,
): Promise<void> => {
  const due = { actions, now, random }
  const read = await actions.destination(destination, now)
  // This wake-up may have been received before, by a process that died in `leaveIndex`, before it read the list again.
  if (read.dueAt === undefined) await lookAgain(due, destination)
  else if (read.dueAt === at) await (isClosed(read) ? probe(due, read) : release(due, read))
}

/** Wakes the lanes of entries, and removes the entries whose wake-ups the queue has accepted. */
const wake = async (
  { actions }: Due,
  destination: string,
  entries: Entry[],
  { kind, bulkhead }: { kind: 'released' | 'expired'; bulkhead: 'slow' | 'released' },
): Promise<void> => {
  if (entries.length === 0) return
  const wakeUps = entries.map(({ lane, entry }): LaneWakeUp => ({ lane, reason: { kind, waiting: entry } }))
  // In the slow queue, because many lanes may have waited for this destination, and others must not wait for them.
  const accepted = await actions.wakeLanes(wakeUps, bulkhead)
  const gone = entries.flatMap(({ entry }, index) => (accepted[index] === true ? [entry] : []))
  await actions.removeEntries(destination, gone)
}

/**
 * Probes a closed destination when its next probe is due, and wakes lanes whose items have waited too long, a limited
 * number each second. Time that has passed since that probe was due does not count: nothing was tried in it.
 */
const probe = async (due: Due, read: Destination): Promise<void> => {
  const { actions, now, random } = due
  const { destination, rounds = 0, probeAt = 0 } = read
  const expired = await actions.someEntries(destination, MAX_EXPIRED, Math.min(now, probeAt))
  const isTime = now >= probeAt
  const nextProbe = isTime ? now + probeDelay(rounds + 1, random()) : probeAt
  const at = expired.length > 0 ? Math.min(now + SECOND, nextProbe) : nextProbe
  const set = { rounds: isTime ? rounds + 1 : rounds, probeAt: nextProbe, ...dueFor(destination, at) }
  const moved = await actions.change(read, { set }, now)
  if (moved === undefined) return
  await wake(due, destination, expired, { kind: 'expired', bulkhead: 'released' })
  if (isTime && !(await probeByLane(due, moved))) await leaveIndex(due, moved)
  else await actions.wakeLater({ destination, at }, at - now)
}

/** Chooses a lane, and wakes it. False if none waits. */
const probeByLane = async ({ actions, now, random }: Due, read: Destination): Promise<boolean> => {
  const { destination, suspicions = [] } = read
  const entries = await actions.someEntries(destination, CANDIDATES)
  const lanes = entries.map((entry) => ({ entry, ...suspectOf(entry.lane) }))
  const found = laneToProbe(lanes, suspicions, random())?.entry
  if (found === undefined) return false
  const reason = { kind: 'probe', waiting: found.entry, destination, at: now } as const
  const origin = await actions.recentDestination(originOf(destination), now)
  await actions.wakeLanes([{ lane: found.lane, reason }], isQuick(origin, now) ? 'fast' : 'slow')
  return true
}

/** Releases as many lanes as there is room for, and sets the time of the next release. */
const release = async (due: Due, read: Destination): Promise<void> => {
  const { actions, now } = due
  const { destination, rounds = 0 } = read
  const slow = isSlow(await actions.recentDestination(originOf(destination), now), now)
  const room = (await isReleaseWaiting(due, read)) ? 0 : await roomFor(due, read, slow)
  const entries = room === 0 ? [] : await entriesToRelease(due, destination, { slow, room })
  const [first] = entries
  const at = now + (slow ? SLOW_RELEASE : SECOND)
  const next = first && { rounds: rounds + 1, released: { lane: first.lane, entry: first.entry, at: now } }
  const moved = await actions.change(read, { set: { ...next, ...dueFor(destination, at) } }, now)
  if (moved === undefined) return
  if (room > 0 && first === undefined) return leaveIndex(due, moved)
  await wake(due, destination, entries, { kind: 'released', bulkhead: slow ? 'slow' : 'released' })
  await actions.wakeLater({ destination, at }, at - now)
}

/**
 * Whether the lane that stands for the last release has not been leased since: the queue is full, because many
 * destinations may be open again at the same time, and more wake-ups would delay all that come after them.
 */
const isReleaseWaiting = async ({ actions, now }: Due, { released }: Destination): Promise<boolean> => {
  if (released === undefined || now >= released.at + MAX_RELEASE_WAIT) return false
  const lane = await actions.get(laneAddress(released.lane))
  return lane?.lease === undefined && lane?.waiting?.S === released.entry
}

/** How many lanes may be released now. Slots are those of the origin. */
const roomFor = async ({ actions, now }: Due, read: Destination, slow: boolean): Promise<number> =>
  slow
    ? actions.freeSlots(originOf(read.destination), now)
    : Math.min(MAX_RELEASE, FIRST_RELEASE * 2 ** Math.min(read.rounds ?? 0, 10))

const entriesToRelease = (
  { actions, random }: Due,
  destination: string,
  { slow, room }: { slow: boolean; room: number },
): Promise<Entry[]> =>
  slow ? actions.entriesOfRandomShard(destination, room, random()) : actions.someEntries(destination, room)

/**
 * Removes a destination whose list is empty from the index. A lane may have been added after the list was read, while
 * the destination was still in the index, so the list is read again. Also after a failed condition, because it may be
 * the repetition of a write whose response was lost.
 */
const leaveIndex = async (due: Due, read: Destination): Promise<void> => {
  await due.actions.change(read, LEAVES_INDEX, due.now)
  await lookAgain(due, read.destination)
}

const lookAgain = async ({ actions, now }: Due, destination: string): Promise<void> => {
  const entries = await actions.someEntries(destination, 1)
  if (entries.length > 0) await awaitDestination(actions, destination, now)
}
