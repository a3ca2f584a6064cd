/** Lanes: what must stay in order. The lane's item holds the lease of its one delivery at a time, its retries and what it waits for. */
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import type { Condition } from '../store/conditions.ts'
import { decodeIfSound, defineItem, type Stored } from '../store/item.ts'
import { flag, integer, optional, text } from '../store/item-fields.ts'
import { laneAddress } from '../store/keys.ts'
import type { Item } from '../store/table.ts'
import { putIf, type TableWrite, updateIf, updateOrFind } from '../store/write.ts'
import { logCorrupt } from './corrupt-item.ts'
import { DUE_FIELDS, dueFields, dueFor } from './due.ts'
import type { LaneWakeUp } from './wake-up.ts'

/**
 * An idle lane has no item. `dueAt` is there while the lane waits for a time, `waiting` while it is in a destination's waiting list (its
 * entry there). Times are ms since the epoch.
 */
export const laneItem = defineItem('lane', ({ lane }: { lane: string }) => laneAddress(lane), {
  lane: text(),
  lease: optional(text()),
  leaseUntil: optional(integer()),
  /** A wake-up came while the lane was leased: there may be an item that the holder has not read. */
  dirty: optional(flag()),
  /** Failed attempts at the first item. */
  failures: optional(integer()),
  /** When its first attempt failed. The index of what is due shows an attribute of this name. */
  epoch: optional(integer()),
  waiting: optional(text()),
  /** The destination in whose list that entry is. */
  waitsFor: optional(text()),
  ...dueFields,
})
export type Lane = Stored<typeof laneItem>

/** A lane that this invocation alone may deliver. */
export type LeasedLane = Lane & { lease: string }

/** Longer than a function that delivers may run (30 s), shorter than the visibility timeout of its queue (180 s). */
const LEASE_MS = 45_000

/** Leases that end by then are over (ms since the epoch): their time has come, or whoever had them is known to be gone. */
const overUntil = (now: number): number => Math.max(now, (settings().LEASES_VOID_BEFORE ?? 0) + LEASE_MS - 1)

const MAX_TRIES = 10

const time = (value: number): Item[string] => ({ N: String(value) })

/** What of the lane must hold for a wake-up: of several for the same time or entry, the first moves the lane on, and the others end here. */
const conditionOf = ({ reason }: LaneWakeUp, now: number): Condition => {
  if (reason.kind === 'due') return { equals: { dueAt: time(reason.at) } }
  if (reason.kind !== 'committed') return { equals: { waiting: { S: reason.waiting } } }
  return { absent: ['waiting'], anyOf: [{ absent: ['dueAt'] }, { atMost: { dueAt: time(now) } }] }
}

/** The same, of a lane that was read. */
const isGood = ({ dueAt, waiting }: Partial<Lane>, { reason }: LaneWakeUp, now: number): boolean => {
  if (reason.kind === 'due') return dueAt === reason.at
  if (reason.kind !== 'committed') return waiting === reason.waiting
  return waiting === undefined && (dueAt === undefined || dueAt <= now)
}

/** What became of a wake-up: the lane is leased for it, or it has nothing to do with the lane as it was found. */
export type Leasing = { leased: LeasedLane } | { leased: undefined; found: Partial<Lane> }

/**
 * Leases the lane of a wake-up. A wake-up has nothing to do where the lane waits for something else, or somebody has it; then its holder is
 * told to read again; if that one dies, the next one is. A lane that was due stays in the index until the lease is over: if this invocation
 * dies, the sweep finds it. `lease`: an id that nobody else uses. Throws `store.unavailable`, `store.conflict`.
 */
export const leaseLane = async (wakeUp: LaneWakeUp, lease: string, now: number): Promise<Leasing> => {
  const { lane, reason } = wakeUp
  const address = laneAddress(lane)
  const leaseUntil = now + LEASE_MS
  const { anyOf, ...good } = conditionOf(wakeUp, now)
  const also = anyOf === undefined ? {} : { anyOf }
  const due = reason.kind === 'due' ? dueFor(lane, leaseUntil) : {}
  const set = { kind: { S: laneItem.kind }, ...laneItem.attributes({ lane, lease, leaseUntil, ...due }) }
  const free = [
    { absent: ['lease'], ...also },
    { atMost: { leaseUntil: time(overUntil(now)) }, ...also },
  ]
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const tried = await updateOrFind(address, { set }, { ...good, anyOf: free })
    if (tried.written !== undefined) return { leased: { ...(await readable(lane, tried.written, now)), lease } }
    const found: Partial<Lane> = tried.found === undefined ? {} : await readable(lane, tried.found, now)
    // An earlier try of this very write may have succeeded, and only its answer was lost.
    if (found.lease === lease) return { leased: { ...found, lane, lease } }
    if (!isGood(found, wakeUp, now)) return { leased: undefined, found }
    if (found.lease === undefined || (found.leaseUntil ?? 0) <= overUntil(now)) continue
    const marked = { set: laneItem.attributes({ dirty: true }) }
    if (await updateIf(address, marked, { equals: { lease: { S: found.lease } } })) return { leased: undefined, found }
  }
  throw new AgentError('store.conflict', 'the lane changed at the same time')
}

/**
 * What is stored of a lane. One that is corrupt has only lost what it waits for: it is made anew, due at once, so that the sweep goes on with it.
 * Throws `store.conflict` then.
 */
const readable = async (lane: string, item: Item, now: number): Promise<Lane> => {
  const read = decodeIfSound(laneItem, item)
  if (read !== undefined) return read
  logCorrupt({ lane, kind: laneItem.kind }, now)
  await putIf(laneItem.encode({ lane, ...dueFor(lane, now) }))
  throw new AgentError('store.conflict', 'the lane was corrupt')
}

const isMine = ({ lease }: LeasedLane): Condition => ({ equals: { lease: { S: lease } } })
const isClean = (lane: LeasedLane): Condition => ({ ...isMine(lane), absent: ['dirty'] })

const LEASE_FIELDS = ['lease', 'leaseUntil', 'dirty'] as const
const WAITING_FIELDS = ['waiting', 'waitsFor'] as const

/** Each of these gives the lease back, or holds on to it, on condition that it is still this one's. */
export const laneWrites = {
  /** The lane has nothing to do any more. Fails where it is dirty: then its items must be read again. */
  end: (lane: LeasedLane): TableWrite => ({ remove: laneAddress(lane.lane), condition: isClean(lane) }),
  /** Goes on: the first item is another one now. */
  keep: (lane: LeasedLane): TableWrite => ({
    update: laneAddress(lane.lane),
    change: { remove: ['failures', 'epoch', ...WAITING_FIELDS] },
    condition: isMine(lane),
  }),
  /** Goes on, and reads the items again: only then may it forget that something was committed. */
  keepAndRead: (lane: LeasedLane): TableWrite => ({
    update: laneAddress(lane.lane),
    change: { remove: ['dirty', 'failures', 'epoch', ...WAITING_FIELDS] },
    condition: isMine(lane),
  }),
  /** The lane waits until `at`, with so many failures of its first item. `now` is the time of the last one. */
  wait: (lane: LeasedLane, { at, failures, now }: { at: number; failures: number; now: number }): TableWrite => ({
    update: laneAddress(lane.lane),
    change: {
      set: laneItem.attributes({ failures, ...(failures === 1 && { epoch: now }), ...dueFor(lane.lane, at) }),
      remove: [...LEASE_FIELDS, ...WAITING_FIELDS],
    },
    condition: isMine(lane),
  }),
  /** The lane waits for its destination: `entry` in its waiting list. */
  waitForDestination: (
    lane: LeasedLane,
    { entry, destination }: { entry: string; destination: string },
  ): TableWrite => ({
    update: laneAddress(lane.lane),
    change: {
      set: laneItem.attributes({ waiting: entry, waitsFor: destination }),
      remove: [...LEASE_FIELDS, ...DUE_FIELDS],
    },
    condition: isMine(lane),
  }),
  /**
   * Another queue goes on with the lane, by a wake-up that names `handedOver` as what it waits for: other wake-ups have nothing to do until
   * then, so that this queue has one message of the lane at most. If that is lost, the lane is due at `at`.
   */
  handOver: (lane: LeasedLane, handedOver: string, at: number): TableWrite => ({
    update: laneAddress(lane.lane),
    change: {
      set: laneItem.attributes({ waiting: handedOver, ...dueFor(lane.lane, at) }),
      remove: [...LEASE_FIELDS, 'waitsFor'],
    },
    condition: isMine(lane),
  }),
  /** The same with a lane that probes: it stays in the waiting list, which does without an entry of its own. */
  handOverProbe: (lane: LeasedLane): TableWrite => ({
    update: laneAddress(lane.lane),
    change: { remove: [...LEASE_FIELDS] },
    condition: isMine(lane),
  }),
}

/** A lane that waits for a time is due at once: the sweep wakes it. */
export const hurryLane = async (lane: string, now: number): Promise<void> => {
  const set = laneItem.attributes(dueFor(lane, now))
  await updateIf(laneAddress(lane), { set }, { present: ['dueAt'], absent: ['lease', 'waiting'] })
}

/** Puts a lane into the index of what is due, whatever it waits for: its wake-ups were lost. */
export const enterLane = async (lane: string, at: number): Promise<void> => {
  const set = { kind: { S: laneItem.kind }, ...laneItem.attributes({ lane, ...dueFor(lane, at) }) }
  await updateIf(laneAddress(lane), { set }, { absent: ['dueAt'] })
}
