/**
 * What is done when the time of a destination has come: a closed one is probed, and an open one releases lanes of its
 * waiting list. Pure.
 */
import { dueFor } from '../store/due.ts'
import { laneToProbe, probeDelay } from './circuit-breaker.ts'
import { type Destination, isClosed, isQuick, isSlow, LEAVES_INDEX, suspectOf } from './destination.ts'
import { awaitDestination } from './destination-events.ts'
import { laneAddress, originOf } from './keys.ts'
import { ask, type Step } from './step.ts'
import type { Entry } from './waiting-list.ts'
import type { DestinationWakeUp, LaneWakeUp } from './wake-up.ts'

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

const DONE: Step = { result: undefined }

/** Probes or releases, if the destination is still due at the time of the wake-up. `now` in ms since the epoch. */
export const onDue = ({ destination, at }: DestinationWakeUp, now: number): Step =>
  ask('destination', [destination, now], (read) => {
    // This wake-up may have been received before, by a process that died in `leaveIndex`, before it read the list
    // again.
    if (read.dueAt === undefined) return lookAgain(destination, now)
    if (read.dueAt !== at) return DONE
    return isClosed(read) ? probe(read, now) : release(read, now)
  })

/** Wakes the lanes of entries, and removes the entries whose wake-ups the queue has accepted. */
const wake = (
  destination: string,
  entries: Entry[],
  { kind, bulkhead }: { kind: 'released' | 'expired'; bulkhead: 'slow' | 'released' },
  next: () => Step,
): Step => {
  if (entries.length === 0) return next()
  const wakeUps = entries.map(({ lane, entry }): LaneWakeUp => ({ lane, reason: { kind, waiting: entry } }))
  // In the slow queue, because many lanes may have waited for this destination, and others must not wait for them.
  return ask('wakeLanes', [wakeUps, bulkhead], (accepted) => {
    const gone = entries.flatMap(({ entry }, index) => (accepted[index] === true ? [entry] : []))
    return ask('removeEntries', [destination, gone], next)
  })
}

const wakeLater = (destination: string, at: number, now: number): Step =>
  ask('wakeLater', [{ destination, at }, at - now], () => DONE)

/**
 * Probes a closed destination when its next probe is due, and wakes lanes whose items have waited too long, a limited
 * number each second. Time that has passed since that probe was due does not count: nothing was tried in it.
 */
const probe = (read: Destination, now: number): Step => {
  const { destination, rounds = 0, probeAt = 0 } = read
  return ask('someEntries', [destination, MAX_EXPIRED, Math.min(now, probeAt)], (expired, { random }) => {
    const isTime = now >= probeAt
    const nextProbe = isTime ? now + probeDelay(rounds + 1, random()) : probeAt
    const at = expired.length > 0 ? Math.min(now + SECOND, nextProbe) : nextProbe
    const set = { rounds: isTime ? rounds + 1 : rounds, probeAt: nextProbe, ...dueFor(destination, at) }
    return ask('change', [read, { set }, now], (moved) => {
      if (moved === undefined) return DONE
      const next = () => (isTime ? probeByLane(moved, at, now) : wakeLater(destination, at, now))
      return wake(destination, expired, { kind: 'expired', bulkhead: 'released' }, next)
    })
  })
}

/** Chooses a lane, and wakes it. */
const probeByLane = (read: Destination, at: number, now: number): Step => {
  const { destination, suspicions = [] } = read
  return ask('someEntries', [destination, CANDIDATES], (entries, { random }) => {
    const lanes = entries.map((entry) => ({ entry, ...suspectOf(entry.lane) }))
    const found = laneToProbe(lanes, suspicions, random())?.entry
    if (found === undefined) return leaveIndex(read, now)
    const reason = { kind: 'probe', waiting: found.entry, destination, at: now } as const
    return ask('recentDestination', [originOf(destination), now], (origin) =>
      ask('wakeLanes', [[{ lane: found.lane, reason }], isQuick(origin, now) ? 'fast' : 'slow'], () =>
        wakeLater(destination, at, now),
      ),
    )
  })
}

/** Releases as many lanes as there is room for, and sets the time of the next release. */
const release = (read: Destination, now: number): Step =>
  ask('recentDestination', [originOf(read.destination), now], (origin) => {
    const slow = isSlow(origin, now)
    const { released } = read
    if (released === undefined || now >= released.at + MAX_RELEASE_WAIT) return makeRoom(read, slow, now)
    // The lane that stands for the last release has not been leased since: the queue is full, because many destinations
    // may be open again at the same time, and more wake-ups would delay all that come after them.
    return ask('get', [laneAddress(released.lane)], (lane) =>
      lane?.lease === undefined && lane?.waiting?.S === released.entry
        ? releaseLanes(read, [], { slow, room: 0 }, now)
        : makeRoom(read, slow, now),
    )
  })

/** How many lanes may be released now. Slots are those of the origin. */
const makeRoom = (read: Destination, slow: boolean, now: number): Step => {
  const { destination, rounds = 0 } = read
  if (slow)
    return ask('freeSlots', [originOf(destination), now], (room, { random }) =>
      room === 0
        ? releaseLanes(read, [], { slow, room }, now)
        : ask('entriesOfRandomShard', [destination, room, random()], (entries) =>
            releaseLanes(read, entries, { slow, room }, now),
          ),
    )
  const room = Math.min(MAX_RELEASE, FIRST_RELEASE * 2 ** Math.min(rounds, 10))
  return ask('someEntries', [destination, room], (entries) => releaseLanes(read, entries, { slow, room }, now))
}

const releaseLanes = (
  read: Destination,
  entries: Entry[],
  { slow, room }: { slow: boolean; room: number },
  now: number,
): Step => {
  const { destination, rounds = 0 } = read
  const [first] = entries
  const at = now + (slow ? SLOW_RELEASE : SECOND)
  const next = first && { rounds: rounds + 1, released: { lane: first.lane, entry: first.entry, at: now } }
  return ask('change', [read, { set: { ...next, ...dueFor(destination, at) } }, now], (moved) => {
    if (moved === undefined) return DONE
    if (room > 0 && first === undefined) return leaveIndex(moved, now)
    const how = { kind: 'released', bulkhead: slow ? 'slow' : 'released' } as const
    return wake(destination, entries, how, () => wakeLater(destination, at, now))
  })
}

/**
 * Removes a destination whose list is empty from the index. A lane may have been added after the list was read, while
 * the destination was still in the index, so the list is read again. Also after a failed condition, because it may be
 * the repetition of a write whose response was lost.
 */
const leaveIndex = (read: Destination, now: number): Step =>
  ask('change', [read, LEAVES_INDEX, now], () => lookAgain(read.destination, now))

const lookAgain = (destination: string, now: number): Step =>
  ask('someEntries', [destination, 1], (entries) =>
    entries.length === 0 ? DONE : awaitDestination(destination, now, () => DONE),
  )
