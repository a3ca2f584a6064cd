/**
 * Lanes, whose items are delivered in order. A lane's item holds the lease of its only delivery at a time, its retries
 * and what it waits for.
 */

import type { Change, Condition } from '../../store/conditions.ts'
import { DUE_FIELDS, dueFields, dueFor } from '../../store/due.ts'
import { defineItem, type Stored } from '../../store/item.ts'
import { flag, integer, json, optional, text } from '../../store/item-fields.ts'
import type { Address } from '../../store/keys.ts'
import type { Item } from '../../store/table.ts'
import { type TableWrite, updateIf } from '../../store/write.ts'
import { laneAddress } from '../wake-ups/index.ts'
import { OwnFaults } from './own-faults.ts'

/**
 * An idle lane has no item. `dueAt` is present while the lane waits for a time, `waiting` (its entry in the list) while
 * it is in a destination's waiting list. Times are ms since the epoch.
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

/** An update of the table as data. */
export interface Update {
  address: Address
  change: Change
  condition: Condition
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

/** Until `at`, with this number of failures of the first item. `now` is the time of the last one. */
export type Wait = { at: number; failures: number; now: number; faults?: OwnFaults | undefined }

/** Writes that release or keep the lease, on condition that it is still the same. */
export const laneWrites = {
  /** Ends an empty lane. Fails if it is dirty: then its items have to be read again. */
  end: (lane: LeasedLane): TableWrite => ({
    remove: laneAddress(lane.lane),
    condition: { ...isMine(lane), absent: ['dirty'] },
  }),
  /** Keeps the lease for the next item. */
  nextItem: (lane: LeasedLane): TableWrite => changed(lane, {}, [...OF_ITEM, ...WAITING]),
  /** Records that an item is tried. */
  tries: (lane: LeasedLane, faults: OwnFaults): TableWrite => changed(lane, { faults }, []),
  /** Keeps the lease to read the items again, and removes the mark: afterwards they have to be read. */
  readAgain: (lane: LeasedLane): TableWrite => changed(lane, {}, ['dirty', ...OF_ITEM, ...WAITING]),
  wait: (lane: LeasedLane, { at, failures, now, faults }: Wait): TableWrite => {
    const set = { failures, ...(failures === 1 && { epoch: now }), ...(faults && { faults }), ...dueFor(lane.lane, at) }
    return changed(lane, set, [...LEASE, ...WAITING, ...(faults ? [] : (['faults'] as const))])
  },
  /** The lane waits for its destination: `entry` in its waiting list. */
  waitForDestination: (lane: LeasedLane, { entry, destination }: { entry: string; destination: string }): TableWrite =>
    changed(lane, { waiting: entry, waitsFor: destination }, [...LEASE, ...DUE_FIELDS]),
  /**
   * Another queue continues with the lane, by a wake-up that names `handedOver` as its entry. Until then other wake-ups
   * have nothing to do, so that the queue has at most one message of the lane. If that is lost, the lane is due at
   * `at`.
   */
  handOver: (lane: LeasedLane, handedOver: string, at: number): TableWrite =>
    changed(lane, { waiting: handedOver, ...dueFor(lane.lane, at) }, [...LEASE, 'waitsFor']),
  /** The same for a lane that probes: it stays in the waiting list, under its entry there. */
  handOverProbe: (lane: LeasedLane): TableWrite => changed(lane, {}, [...LEASE, ...DUE_FIELDS]),
}

/** Makes a lane that waits for a time due at once. The sweep wakes it. */
export const dueNow = (lane: string, now: number): Update => ({
  address: laneAddress(lane),
  change: { set: laneItem.attributes(dueFor(lane, now)) },
  condition: { present: ['dueAt'], absent: ['lease', 'waiting'] },
})

const WITHOUT_TIME: Condition = { absent: ['dueAt'] }

/** One that was handed over is in the index, for a time that is only meant for the loss of that wake-up. */
const HANDED_OVER: Condition = { present: ['waiting'], absent: ['waitsFor', 'lease'] }

/**
 * Puts a lane whose wake-ups were lost into the index `due`, whatever it waits for, unless it does not meet
 * `condition`. One that is leased is marked as by its wake-up: its holder may have read one item only, and would remove
 * the lane with the time.
 */
export const toEnter = (
  lane: string,
  at: number,
  condition: Condition = { anyOf: [WITHOUT_TIME, HANDED_OVER] },
): Update => ({
  address: laneAddress(lane),
  change: { set: { kind: { S: laneItem.kind }, ...laneItem.attributes({ lane, dirty: true, ...dueFor(lane, at) }) } },
  condition,
})

export const enterLane = (lane: string, at: number, condition?: Condition): Promise<unknown> =>
  updateItem(toEnter(lane, at, condition))

/** Throws `store.unavailable`, `store.conflict`. */
export const updateItem = ({ address, change, condition }: Update): Promise<Item | undefined> =>
  updateIf(address, change, condition)
