/** The lanes that wait for a destination which is closed or busy: a sharded list, and what the destination's due time does with it. */
import { decodeIfSound, defineItem, type Stored } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import {
  type Address,
  eventLaneOf,
  laneAddress,
  messageLaneOf,
  shardOf,
  waitingAddress,
  waitingPartition,
} from '../store/keys.ts'
import { addressOf as addressInTable, getItem, type Item, queryPage } from '../store/table.ts'
import { removeIf, type TableWrite } from '../store/write.ts'
import { probeDelay } from './circuit-breaker.ts'
import { logCorrupt } from './corrupt-item.ts'
import {
  change,
  type Destination,
  ensureDue,
  isClosed,
  isQuick,
  isSlow,
  leaveIndex,
  readDestination,
  suspectName,
} from './destination.ts'
import { dueFor } from './due.ts'
import { enterLane } from './lane.ts'
import { wakeLanes, wakeLater } from './queues.ts'
import { freeSlots } from './slow-destination.ts'
import type { DestinationWakeUp, LaneWakeUp } from './wake-up.ts'

/** So that lanes which come to wait at once write to several partitions. */
const SHARDS = 16

/** Digits of a time in ms since the epoch, for sort keys. */
const DIGITS = 15

const sortable = (time: number): string => String(time).padStart(DIGITS, '0')

/**
 * The name of a lane's new entry: its shard, then when its first item is given up (ms since the epoch), so that those whose time is over
 * come first. `id` is unique: a wake-up for an entry that the lane had before finds nothing to do.
 */
export const newEntry = (lane: string, giveUpAt: number, id: string): string =>
  `${shardOf(lane, SHARDS)}|${sortable(giveUpAt)}|${id}`

const addressOf = ({ destination, entry }: { destination: string; entry: string }): Address => {
  const [shard = '', ...position] = entry.split('|')
  return waitingAddress(destination, Number(shard), position.join('|'))
}

const waitingItem = defineItem('waiting-lane', addressOf, {
  lane: text(),
  entry: text(),
  /** Ms since the epoch. */
  since: integer(),
})

/** Puts a lane into the list. */
export const entryWrite = (
  destination: string,
  { lane, entry, now }: { lane: string; entry: string; now: number },
): { put: Item } => ({ put: waitingItem.encode({ destination, lane, entry, since: now }) })

/** Takes an entry out of the list. */
export const entryRemoval = (destination: string, entry: string): TableWrite => ({
  remove: addressOf({ destination, entry }),
})

export const removeEntry = (destination: string, entry: string): Promise<boolean> =>
  removeIf(addressOf({ destination, entry }))

type Entry = Stored<typeof waitingItem>

const itemsIn = async (destination: string, shard: number, limit: number, until?: number): Promise<Item[]> => {
  const to = until === undefined ? undefined : sortable(until)
  return (await queryPage(waitingPartition(destination, shard), { limit, to })).items
}

const entriesIn = async (destination: string, shard: number, limit: number, until?: number): Promise<Entry[]> => {
  const items = await itemsIn(destination, shard, limit, until)
  const entries = items.map((item) => decodeIfSound(waitingItem, item))
  const corrupt = items.filter((_, index) => entries[index] === undefined)
  for (const item of corrupt) await dropCorrupt(destination, item)
  return entries.filter((entry) => entry !== undefined)
}

/** An entry that cannot be read must not stop the others. Its lane, if it names one, is due instead. */
const dropCorrupt = async (destination: string, item: Item): Promise<void> => {
  const now = Date.now()
  const lane = item.lane?.S ?? ''
  if (messageLaneOf(lane) !== undefined || eventLaneOf(lane) !== undefined) await enterLane(lane, now)
  if (await removeIf(addressInTable(item), { present: ['pk'] }))
    logCorrupt({ destination, kind: waitingItem.kind }, now)
}

const shards = (from: number): number[] => Array.from({ length: SHARDS }, (_, index) => (from + index) % SHARDS)

/** At most `limit` entries, of all shards alike. */
const someEntries = async (destination: string, limit: number, until?: number): Promise<Entry[]> => {
  const share = Math.ceil(limit / SHARDS)
  const found = await Promise.all(shards(0).map((shard) => entriesIn(destination, shard, share, until)))
  return found.flat()
}

/** At most `limit` entries, of the first shards that have any, from `first` on: a few cost few requests. */
const fewEntries = async (destination: string, limit: number, first: number): Promise<Entry[]> => {
  const found: Entry[] = []
  for (const shard of shards(first)) {
    if (found.length >= limit) break
    found.push(...(await entriesIn(destination, shard, limit - found.length)))
  }
  return found
}

/** Maximum number of counted entries of each shard, and of one full shard by which the others are estimated: lanes are spread evenly. */
const MAX_COUNTED = 32
const MAX_COUNTED_OF_ONE = 1_000

/**
 * The number of lanes that wait for a destination (an estimate if there are many), and the time since which the oldest waits (ms since the epoch).
 * Corrupt entries are counted and not removed, because the sweep may not write them.
 */
export const waitingAt = async (destination: string): Promise<{ lanes: number; since: number | undefined }> => {
  const found = await Promise.all(shards(0).map((shard) => itemsIn(destination, shard, MAX_COUNTED)))
  const full = found.findIndex(({ length }) => length === MAX_COUNTED)
  const ofFull = full === -1 ? 0 : (await itemsIn(destination, full, MAX_COUNTED_OF_ONE)).length
  const times = found.flat().flatMap((item) => decodeIfSound(waitingItem, item)?.since ?? [])
  return {
    lanes: found.reduce((sum, { length }) => sum + (length < MAX_COUNTED ? length : ofFull), 0),
    since: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)),
  }
}

/** Wakes the lanes of entries, and takes those out of the list whose wake-ups the queue has. */
const wake = async (
  destination: string,
  entries: Entry[],
  { kind, use }: { kind: 'released' | 'expired'; use: 'slow' | 'released' },
): Promise<void> => {
  const wakeUps = entries.map(({ lane, entry }): LaneWakeUp => ({ lane, reason: { kind, waiting: entry } }))
  // In the slow queue: what a destination has kept waiting must not keep others waiting, however much it is.
  const taken = await wakeLanes(wakeUps, use)
  await Promise.all(
    entries.map(({ entry }, index) => (taken[index] === true ? removeEntry(destination, entry) : undefined)),
  )
}

/** Entries looked at for a probe: of these it takes a lane whose failure did not close the destination, if there is one. */
const CANDIDATES = 10

/** The lane that probes: another one each time, as far as chance goes. */
const probeCandidate = async (
  { destination, suspicions = [] }: Destination,
  random: () => number,
): Promise<Entry | undefined> => {
  const suspected = new Set(suspicions.map(({ lane }) => lane))
  let found: Entry | undefined
  for (const shard of shards(Math.floor(random() * SHARDS))) {
    const entries = await entriesIn(destination, shard, CANDIDATES)
    const others = entries.filter(({ lane }) => !suspected.has(suspectName(lane)))
    if (others.length > 0) return others[Math.floor(random() * others.length)]
    found ??= entries[Math.floor(random() * entries.length)]
  }
  return found
}

/** Lanes of which items are given up for one due time, at most. */
const MAX_EXPIRED = 256

const SECOND = 1_000

/** Probes a closed destination if it is time for that, and lets lanes give up what has waited too long, some each second. */
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
  await wake(destination, expired, { kind: 'expired', use: 'released' })
  if (isTime) {
    const candidate = await probeCandidate(moved, random)
    if (candidate === undefined) return finish(moved, now)
    const reason = { kind: 'probe', waiting: candidate.entry, destination, at: now } as const
    await wakeLanes([{ lane: candidate.lane, reason }], isQuick(moved, now) ? 'fast' : 'slow')
  }
  await wakeLater({ destination, at }, at - now)
}

/** Lanes released in the first second after a destination has opened; it doubles with each, to a bound. */
const FIRST_RELEASE = 16
const MAX_RELEASE = 64

/** Ms between two releases to a slow destination: an attempt takes long there. */
const SLOW_RELEASE = 10 * SECOND

/** Maximum time in ms that a release waits for the one before, whose wake-up may be lost. */
const MAX_RELEASE_WAIT = 60 * SECOND

/**
 * Whether a lane of the last release was delivered or is being delivered. If not, the queue is full, because many destinations may be open again at
 * the same time, and further wake-ups would delay all that come after them.
 */
const isTakenUp = async ({ released }: Destination, now: number): Promise<boolean> => {
  if (released === undefined || now >= released.at + MAX_RELEASE_WAIT) return true
  const { lease, waiting } = (await getItem(laneAddress(released.lane))) ?? {}
  return lease !== undefined || waiting?.S !== released.entry
}

/** How many lanes may be released now. */
const roomAt = async (read: Destination, slow: boolean, now: number): Promise<number> => {
  if (!(await isTakenUp(read, now))) return 0
  return slow
    ? freeSlots(read.destination, now)
    : Math.min(MAX_RELEASE, FIRST_RELEASE * 2 ** Math.min(read.rounds ?? 0, 10))
}

const entriesToRelease = (destination: string, room: number, slow: boolean, random: () => number): Promise<Entry[]> =>
  slow ? fewEntries(destination, room, Math.floor(random() * SHARDS)) : someEntries(destination, room)

const release = async (read: Destination, { clock, random }: Surroundings): Promise<void> => {
  const { destination, rounds = 0 } = read
  const now = clock()
  const slow = isSlow(read, now)
  const at = now + (slow ? SLOW_RELEASE : SECOND)
  const room = await roomAt(read, slow, now)
  const entries = room === 0 ? [] : await entriesToRelease(destination, room, slow, random)
  const [first] = entries
  const next = first && { rounds: rounds + 1, released: { lane: first.lane, entry: first.entry, at: now } }
  const moved = await change(read, { set: { ...next, ...dueFor(destination, at) } }, now)
  if (moved === undefined) return
  if (room > 0 && first === undefined) return finish(moved, now)
  await wake(destination, entries, { kind: 'released', use: slow ? 'slow' : 'released' })
  await wakeLater({ destination, at }, at - now)
}

/**
 * Takes a destination that no lane waits for out of the index. A lane that came to wait while the list was found empty has seen the
 * destination still there, so the list is read once more.
 */
const finish = async (read: Destination, now: number): Promise<void> => {
  if ((await leaveIndex(read, now)) === undefined) return
  await enterAgain(read.destination, now)
}

const enterAgain = async (destination: string, now: number): Promise<void> => {
  if ((await someEntries(destination, SHARDS)).length > 0) await ensureDue(destination, now)
}

export interface Surroundings {
  /** Ms since the epoch, and a number in [0, 1). */
  clock: () => number
  random: () => number
}

/** What is to be done when a destination's time has come: a closed one is probed, an open one releases lanes. Throws `store.unavailable`. */
export const onDestinationDue = async (
  { destination, at }: DestinationWakeUp,
  surroundings: Surroundings,
): Promise<void> => {
  const now = surroundings.clock()
  const read = await readDestination(destination, now)
  // This wake-up may be the repetition of one whose process died between leaving the index and reading the list once more.
  if (read.dueAt === undefined) return enterAgain(destination, now)
  if (read.dueAt !== at) return
  await (isClosed(read) ? probe(read, surroundings) : release(read, surroundings))
}
