/** What is done when the time of a destination has come: a closed one is probed, and an open one releases lanes of its waiting list. */

import { dueFor } from '../store/due.ts'
import { laneAddress, originOf } from '../store/keys.ts'
import { getItem } from '../store/table.ts'
import { laneToProbe, probeDelay } from './circuit-breaker.ts'
import {
  change,
  type Destination,
  ensureDue,
  isClosed,
  isQuick,
  isSlow,
  leaveIndex,
  readDestination,
  recentDestination,
  suspectOf,
} from './destination.ts'
import { wakeLanes, wakeLater } from './queues.ts'
import { freeSlots } from './slow-destination.ts'
import { type Entry, fewEntries, removeEntry, someEntries } from './waiting-list.ts'
import type { DestinationWakeUp, LaneWakeUp } from './wake-up.ts'

export interface Surroundings {
  /** Ms since the epoch, and a number in [0, 1). */
  clock: () => number
  random: () => number
}

/** Probes or releases, if the destination is still due at the time of the wake-up. Throws `store.unavailable`. */
export const onDestinationDue = async (
  { destination, at }: DestinationWakeUp,
  surroundings: Surroundings,
): Promise<void> => {
  const now = surroundings.clock()
  const read = await readDestination(destination, now)
  // This wake-up may have been received before, by a process that died in `finish`, before it read the list again.
  if (read.dueAt === undefined) return enterAgain(destination, now)
  if (read.dueAt !== at) return
  await (isClosed(read) ? probe(read, surroundings) : release(read, surroundings))
}

/** Wakes the lanes of entries, and removes the entries whose wake-ups the queue has accepted. */
const wake = async (
  destination: string,
  entries: Entry[],
  kind: 'released' | 'expired',
  bulkhead: 'slow' | 'released',
): Promise<void> => {
  const wakeUps = entries.map(({ lane, entry }): LaneWakeUp => ({ lane, reason: { kind, waiting: entry } }))
  // In the slow queue, because many lanes may have waited for this destination, and others must not wait for them.
  const taken = await wakeLanes(wakeUps, bulkhead)
  await Promise.all(
    entries.map(({ entry }, index) => (taken[index] === true ? removeEntry(destination, entry) : undefined)),
  )
}

/** Maximum number of lanes that are woken at once to give up items. */
const MAX_EXPIRED = 256

/** Entries that are read to choose the lane of a probe: lanes of many tenants. */
const CANDIDATES = 160

const SECOND = 1_000

/** Probes a closed destination when its next probe is due, and wakes lanes whose items have waited too long, a limited number each second. */
const probe = async (read: Destination, { clock, random }: Surroundings): Promise<void> => {
  const { destination, rounds = 0, probeAt = 0 } = read
  const now = clock()
  const expired = await someEntries(destination, MAX_EXPIRED, now)
  const isTime = now >= probeAt
  const nextProbe = isTime ? now + probeDelay(rounds + 1, random()) : probeAt
  const at = expired.length > 0 ? Math.min(now + SECOND, nextProbe) : nextProbe
  const set = { rounds: isTime ? rounds + 1 : rounds, probeAt: nextProbe, ...dueFor(destination, at) }
  const moved = await change(read, { set }, now)
  if (moved === undefined) return
  await wake(destination, expired, 'expired', 'released')
  if (isTime) {
    const entries = (await someEntries(destination, CANDIDATES)).map((entry) => ({ entry, ...suspectOf(entry.lane) }))
    const found = laneToProbe(entries, moved.suspicions ?? [], random())?.entry
    if (found === undefined) return finish(moved, now)
    const reason = { kind: 'probe', waiting: found.entry, destination, at: now } as const
    const origin = await recentDestination(originOf(destination), now)
    await wakeLanes([{ lane: found.lane, reason }], isQuick(origin, now) ? 'fast' : 'slow')
  }
  await wakeLater({ destination, at }, at - now)
}

/** Lanes released in the first second after a destination was opened; doubled with each release, up to the maximum. */
const FIRST_RELEASE = 16
const MAX_RELEASE = 64

/** Ms between two releases to a slow destination, where an attempt takes long. */
const SLOW_RELEASE = 10 * SECOND

/** Maximum time in ms that a release waits for the one before, whose wake-up may be lost. */
const MAX_RELEASE_WAIT = 60 * SECOND

/**
 * Whether the lane that stands for the last release has been leased since. If not, the queue is full, because many destinations may be open again at
 * the same time, and more wake-ups would delay all that come after them.
 */
const lastReleaseStarted = async ({ released }: Destination, now: number): Promise<boolean> => {
  if (released === undefined || now >= released.at + MAX_RELEASE_WAIT) return true
  const { lease, waiting } = (await getItem(laneAddress(released.lane))) ?? {}
  return lease !== undefined || waiting?.S !== released.entry
}

/** How many lanes may be released now. Slots are those of the origin. */
const roomAt = async (read: Destination, slow: boolean, now: number): Promise<number> => {
  if (!(await lastReleaseStarted(read, now))) return 0
  return slow
    ? freeSlots(originOf(read.destination), now)
    : Math.min(MAX_RELEASE, FIRST_RELEASE * 2 ** Math.min(read.rounds ?? 0, 10))
}

/** Releases lanes, and sets the time of the next release. */
const release = async (read: Destination, { clock, random }: Surroundings): Promise<void> => {
  const { destination, rounds = 0 } = read
  const now = clock()
  const slow = isSlow(await recentDestination(originOf(destination), now), now)
  const at = now + (slow ? SLOW_RELEASE : SECOND)
  const room = await roomAt(read, slow, now)
  const entries =
    room === 0 ? [] : await (slow ? fewEntries(destination, room, random) : someEntries(destination, room))
  const [first] = entries
  const next = first && { rounds: rounds + 1, released: { lane: first.lane, entry: first.entry, at: now } }
  const moved = await change(read, { set: { ...next, ...dueFor(destination, at) } }, now)
  if (moved === undefined) return
  if (room > 0 && first === undefined) return finish(moved, now)
  await wake(destination, entries, 'released', slow ? 'slow' : 'released')
  await wakeLater({ destination, at }, at - now)
}

/**
 * Removes a destination whose list is empty from the index. A lane may have been added after the list was read, while the destination was still in
 * the index, so the list is read again.
 */
const finish = async (read: Destination, now: number): Promise<void> => {
  if ((await leaveIndex(read, now)) === undefined) return
  await enterAgain(read.destination, now)
}

const enterAgain = async (destination: string, now: number): Promise<void> => {
  if ((await someEntries(destination, 1)).length > 0) await ensureDue(destination, now)
}
