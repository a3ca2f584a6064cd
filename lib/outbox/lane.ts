/** Lanes, whose items are delivered in order. A lane's item holds the lease of its only delivery at a time, its retries and what it waits for. */
import { AgentError, isAgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import type { Condition } from '../store/conditions.ts'
import { DUE_FIELDS, dueFields, dueFor } from '../store/due.ts'
import { decodeIfSound, defineItem, type Stored } from '../store/item.ts'
import { flag, integer, json, optional, text } from '../store/item-fields.ts'
import { laneAddress } from '../store/keys.ts'
import type { Item } from '../store/table.ts'
import { putIf, type TableWrite, updateIf, updateOrFind } from '../store/write.ts'
import { logCorrupt } from './corrupt-item.ts'
import { OwnFaults } from './own-faults.ts'
import type { LaneWakeUp } from './wake-up.ts'

/**
 * An idle lane has no item. `dueAt` is present while the lane waits for a time, `waiting` (its entry in the list) while it is in a destination's
 * waiting list. Times are ms since the epoch.
 */
export const laneItem = defineItem('lane', ({ lane }: { lane: string }) => laneAddress(lane), {
  lane: text(),
  lease: optional(text()),
  leaseUntil: optional(integer()),
  /** A wake-up came while the lane was leased: there may be an item that the holder has not read. */
  dirty: optional(flag()),
  /** Failed attempts at the first item. */
  failures: optional(integer()),
  /** When the first attempt at that item failed. The attribute is in the projection of the index `due`. */
  epoch: optional(integer()),
  /** Leases since the last holder released the lane: more than one if a process has ended with it. */
  leases: optional(integer()),
  /** Faults of our own at that item (own-faults.ts). Where a process has ended: the item that is tried. */
  faults: optional(json(OwnFaults)),
  waiting: optional(text()),
  /** The destination whose list has that entry. */
  waitsFor: optional(text()),
  ...dueFields,
})
export type Lane = Stored<typeof laneItem>

/** A lane that only this invocation may deliver. */
export type LeasedLane = Lane & { lease: string }

/** Longer than a function that delivers may run (30 s), shorter than the visibility timeout of its queue (180 s). */
const LEASE_MS = 45_000

/** Leases until this time (ms since the epoch) are over: they have expired, or the process of their holder is known to have ended. */
const overUntil = (now: number): number => Math.max(now, (settings().LEASES_VOID_BEFORE ?? 0) + LEASE_MS - 1)

const MAX_TRIES = 10

const time = (value: number): Item[string] => ({ N: String(value) })

/** The condition for leasing the lane: of several wake-ups for the same time or entry only the first meets it. */
const conditionOf = ({ reason }: LaneWakeUp, now: number): Condition => {
  if (reason.kind === 'due') return { equals: { dueAt: time(reason.at) } }
  if (reason.kind !== 'committed') return { equals: { waiting: { S: reason.waiting } } }
  return { absent: ['waiting'], anyOf: [{ absent: ['dueAt'] }, { atMost: { dueAt: time(now) } }] }
}

/** The same condition, for a lane that was read. */
const isGood = ({ dueAt, waiting }: Partial<Lane>, { reason }: LaneWakeUp, now: number): boolean => {
  if (reason.kind === 'due') return dueAt === reason.at
  if (reason.kind !== 'committed') return waiting === reason.waiting
  return waiting === undefined && (dueAt === undefined || dueAt <= now)
}

/** The result of a wake-up: the lane is leased, or there is nothing to do, with the lane as it was found. */
export type Leasing = { leased: LeasedLane } | { leased: undefined; found: Partial<Lane> }

/**
 * Leases the lane of a wake-up. There is nothing to do if the lane waits for something else, or is leased: then it is marked, so that its holder reads
 * again, or the next one if that one dies. Unless a commit has woken it, the lane is due when the lease is over: if this invocation dies, its wake-up
 * may find that the lane no longer waits under it, but the sweep finds the lane. `lease`: a unique id. Throws `store.unavailable`, `store.conflict`.
 */
export const leaseLane = async (wakeUp: LaneWakeUp, lease: string, now: number): Promise<Leasing> => {
  const { lane, reason } = wakeUp
  const address = laneAddress(lane)
  const leaseUntil = now + LEASE_MS
  const { anyOf, ...condition } = conditionOf(wakeUp, now)
  const also = anyOf === undefined ? {} : { anyOf }
  const due = reason.kind === 'committed' ? {} : dueFor(lane, leaseUntil)
  const set = { kind: { S: laneItem.kind }, ...laneItem.attributes({ lane, lease, leaseUntil, ...due }) }
  const free = [
    { absent: ['lease'], ...also },
    { atMost: { leaseUntil: time(overUntil(now)) }, ...also },
  ]
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const change = { set, add: { leases: 1 } }
    const tried = await unlessConflict(() => updateOrFind(address, change, { ...condition, anyOf: free }))
    if (tried === undefined) continue
    if (tried.written !== undefined) return { leased: { ...(await readable(lane, tried.written, now)), lease } }
    const found: Partial<Lane> = tried.found === undefined ? {} : await readable(lane, tried.found, now)
    // This write may have succeeded before, if only its response was lost.
    if (found.lease === lease) return { leased: { ...found, lane, lease } }
    const { lease: holder, leaseUntil: until = 0 } = found
    const isLeased = holder !== undefined && until > overUntil(now)
    // A leased lane still names what it waited for, but its holder may have read it before this item was committed.
    if (!isGood(found, wakeUp, now) && !(isLeased && reason.kind === 'committed')) return { leased: undefined, found }
    if (!isLeased) continue
    const marked = { set: laneItem.attributes({ dirty: true }) }
    const isMarked = await unlessConflict(() => updateIf(address, marked, { equals: { lease: { S: holder } } }))
    if (isMarked) return { leased: undefined, found }
  }
  throw new AgentError('store.conflict', 'the lane changed at the same time')
}

/** Undefined where a transaction of the lane's holder is under way: it takes some ms, where the wake-up would come again after minutes. */
const unlessConflict = async <T>(write: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await write()
  } catch (error) {
    if (isAgentError(error, 'store.conflict')) return undefined
    throw error
  }
}

/**
 * Decodes a lane. A corrupt one has only lost what it waits for: it is replaced by one that is due at once, so that the sweep wakes it, and
 * `store.conflict` is thrown.
 */
const readable = async (lane: string, item: Item, now: number): Promise<Lane> => {
  const read = decodeIfSound(laneItem, item)
  if (read !== undefined) return read
  logCorrupt({ lane, kind: laneItem.kind }, now)
  await putIf(laneItem.encode({ lane, ...dueFor(lane, now) }))
  throw new AgentError('store.conflict', 'the lane was corrupt')
}

const isMine = ({ lease }: LeasedLane): Condition => ({ equals: { lease: { S: lease } } })

const LEASE = ['lease', 'leaseUntil', 'leases', 'dirty'] as const
const WAITING = ['waiting', 'waitsFor'] as const
/** What is forgotten with an item's outcome. */
const OF_ITEM = ['failures', 'epoch', 'faults', 'leases'] as const

const changed = (lane: LeasedLane, set: Partial<Lane>, remove: readonly (keyof Lane)[]): TableWrite => ({
  update: laneAddress(lane.lane),
  change: { set: laneItem.attributes(set), remove },
  condition: isMine(lane),
})

type Wait = { at: number; failures: number; now: number; faults?: OwnFaults | undefined }

/** Writes that release or keep the lease, on condition that it is still the same. */
export const laneWrites = {
  /** Ends an empty lane. Fails if it is dirty: then its items have to be read again. */
  end: (lane: LeasedLane): TableWrite => ({
    remove: laneAddress(lane.lane),
    condition: { ...isMine(lane), absent: ['dirty'] },
  }),
  /** Keeps the lease for the next item. */
  keep: (lane: LeasedLane): TableWrite => changed(lane, {}, [...OF_ITEM, ...WAITING]),
  /** Records that an item is tried. */
  tries: (lane: LeasedLane, faults: OwnFaults): TableWrite => changed(lane, { faults }, []),
  /** Keeps the lease to read the items again, and removes the mark: afterwards they have to be read. */
  keepAndRead: (lane: LeasedLane): TableWrite => changed(lane, {}, ['dirty', ...OF_ITEM, ...WAITING]),
  /** The lane waits until `at`, with this number of failures of its first item. `now` is the time of the last one. */
  wait: (lane: LeasedLane, { at, failures, now, faults }: Wait): TableWrite => {
    const set = { failures, ...(failures === 1 && { epoch: now }), ...(faults && { faults }), ...dueFor(lane.lane, at) }
    return changed(lane, set, [...LEASE, ...WAITING, ...(faults ? [] : (['faults'] as const))])
  },
  /** The lane waits for its destination: `entry` in its waiting list. */
  waitForDestination: (lane: LeasedLane, { entry, destination }: { entry: string; destination: string }): TableWrite =>
    changed(lane, { waiting: entry, waitsFor: destination }, [...LEASE, ...DUE_FIELDS]),
  /**
   * Another queue continues with the lane, by a wake-up that names `handedOver` as its entry. Until then other wake-ups have nothing to do, so that
   * the queue has at most one message of the lane. If that is lost, the lane is due at `at`.
   */
  handOver: (lane: LeasedLane, handedOver: string, at: number): TableWrite =>
    changed(lane, { waiting: handedOver, ...dueFor(lane.lane, at) }, [...LEASE, 'waitsFor']),
  /** The same for a lane that probes: it stays in the waiting list, under its entry there. */
  handOverProbe: (lane: LeasedLane): TableWrite => changed(lane, {}, [...LEASE, ...DUE_FIELDS]),
}

/** Makes a lane that waits for a time due at once. The sweep wakes it. */
export const makeDueNow = async (lane: string, now: number): Promise<void> => {
  const set = laneItem.attributes(dueFor(lane, now))
  await updateIf(laneAddress(lane), { set }, { present: ['dueAt'], absent: ['lease', 'waiting'] })
}

const WITHOUT_TIME: Condition = { absent: ['dueAt'] }

/** One that was handed over is in the index, for a time that is only meant for the loss of that wake-up. */
const HANDED_OVER: Condition = { present: ['waiting'], absent: ['waitsFor', 'lease'] }

/**
 * Puts a lane whose wake-ups were lost into the index `due`, whatever it waits for, unless it does not meet `condition`. One that is leased is marked as
 * by its wake-up: its holder may have read one item only, and would remove the lane with the time.
 */
export const enterLane = async (
  lane: string,
  at: number,
  condition: Condition = { anyOf: [WITHOUT_TIME, HANDED_OVER] },
): Promise<void> => {
  const entered = laneItem.attributes({ lane, dirty: true, ...dueFor(lane, at) })
  await updateIf(laneAddress(lane), { set: { kind: { S: laneItem.kind }, ...entered } }, condition)
}
