/** The item of a lane: its lease (one delivery at a time), its retries, and what it waits for. */

import type { Condition, ItemChange } from '../../store/conditions.ts'
import { DUE_FIELDS, dueFields, dueFor } from '../../store/due.ts'
import { defineItem, type Stored } from '../../store/item.ts'
import { flag, integer, json, optional, text } from '../../store/item-fields.ts'
import type { Address } from '../../store/keys.ts'
import type { Item } from '../../store/table.ts'
import { type TableWrite, updateIf } from '../../store/write.ts'
import { laneAddress, lanesOf } from '../wake-ups/index.ts'
import { InternalErrors } from './internal-errors.ts'

/**
 * An idle lane has no item. `dueAt` is present while the lane waits for a time, `waiting` (its entry in the list) while
 * it is in a destination's waiting list. Times are ms since the epoch.
 */
export const laneItem = defineItem(
  'lane',
  ({ lane }: { lane: string }) => laneAddress(lane),
  {
    lane: text(),
    lease: optional(text()),
    leaseUntil: optional(integer()),
    /** A wake-up arrived while the lane was leased: there may be an item that the holder has not read. */
    dirty: optional(flag()),
    /** Failed attempts at the first item. */
    failures: optional(integer()),
    /** When the first attempt at that item failed. The attribute is in the projection of the index `due`. */
    epoch: optional(integer()),
    /** Leases since a holder last released its lease: more than one if a process died with it. */
    leases: optional(integer()),
    /** Internal errors at that item (internal-errors.ts). After a process has died, also the item that is tried. */
    faults: optional(json(InternalErrors)),
    waiting: optional(text()),
    /** The destination whose list has that entry. */
    waitsFor: optional(text()),
    ...dueFields,
  },
  { ConnectionRecord: (connection) => lanesOf(connection).map((lane) => laneAddress(lane).pk) },
)
export type Lane = Stored<typeof laneItem>

/** A lane that only this invocation may deliver. */
export type LeasedLane = Lane & { lease: string }

/** The arguments of an update of the table. */
export interface Update {
  address: Address
  change: ItemChange
  condition: Condition
}

const holdsLease = ({ lease }: LeasedLane): Condition => ({ equals: { lease: { S: lease } } })

const LEASE_FIELDS = ['lease', 'leaseUntil', 'leases', 'dirty'] as const
const WAITING_FIELDS = ['waiting', 'waitsFor'] as const
/** Fields about the first item. They are removed with its outcome. */
const ITEM_FIELDS = ['failures', 'epoch', 'faults', 'leases'] as const

const updateOf = (lane: LeasedLane, set: Partial<Lane>, remove: readonly (keyof Lane)[]): TableWrite => ({
  update: laneAddress(lane.lane),
  change: { set: laneItem.attributes(set), remove },
  condition: holdsLease(lane),
})

/** The lane waits until `at`, with this number of failures of the first item. `now` is the time of the last failure. */
export type Wait = { at: number; failures: number; now: number; internalErrors?: InternalErrors | undefined }

/** Writes that release or keep the lease, with the condition that it is still this one. */
export const laneWrites = {
  /** Removes the item of an empty lane. Fails if it is dirty: then its items must be read again. */
  end: (lane: LeasedLane): TableWrite => ({
    remove: laneAddress(lane.lane),
    condition: { ...holdsLease(lane), absent: ['dirty'] },
  }),
  /** Keeps the lease for the next item. */
  nextItem: (lane: LeasedLane): TableWrite => updateOf(lane, {}, [...ITEM_FIELDS, ...WAITING_FIELDS]),
  /** Records that an item with errors is tried again. */
  recordTry: (lane: LeasedLane, faults: InternalErrors): TableWrite => updateOf(lane, { faults }, []),
  /** Keeps the lease, and removes `dirty`: the caller must read the items again afterwards. */
  readAgain: (lane: LeasedLane): TableWrite => updateOf(lane, {}, ['dirty', ...ITEM_FIELDS, ...WAITING_FIELDS]),
  wait: (lane: LeasedLane, { at, failures, now, internalErrors: faults }: Wait): TableWrite => {
    const set = { failures, ...(failures === 1 && { epoch: now }), ...(faults && { faults }), ...dueFor(lane.lane, at) }
    return updateOf(lane, set, [...LEASE_FIELDS, ...WAITING_FIELDS, ...(faults ? [] : (['faults'] as const))])
  },
  /** The lane waits for its destination, as `entry` in its waiting list. */
  waitForDestination: (lane: LeasedLane, { entry, destination }: { entry: string; destination: string }): TableWrite =>
    updateOf(lane, { waiting: entry, waitsFor: destination }, [...LEASE_FIELDS, ...DUE_FIELDS]),
  /**
   * Hands the lane over to another queue, by a wake-up that names `handedOver` as its entry. Until then other wake-ups
   * do nothing, so that the queue has at most one message of the lane. If that is lost, the lane is due at `at`.
   */
  handOver: (lane: LeasedLane, handedOver: string, at: number): TableWrite =>
    updateOf(lane, { waiting: handedOver, ...dueFor(lane.lane, at) }, [...LEASE_FIELDS, 'waitsFor']),
  /** The same for a lane that probes: it stays in the waiting list, under its entry there. */
  handOverProbe: (lane: LeasedLane): TableWrite => updateOf(lane, {}, [...LEASE_FIELDS, ...DUE_FIELDS]),
}

/** Makes a lane that waits for a time due now. The sweep wakes it. */
export const makeDueNow = (lane: string, now: number): Update => ({
  address: laneAddress(lane),
  change: { set: laneItem.attributes(dueFor(lane, now)) },
  condition: { present: ['dueAt'], absent: ['lease', 'waiting'] },
})

const NOT_DUE: Condition = { absent: ['dueAt'] }

/** A lane that was handed over is in the index `due`, but with a late time that only guards against a lost wake-up. */
const HANDED_OVER: Condition = { present: ['waiting'], absent: ['waitsFor', 'lease'] }

/**
 * Puts a lane whose wake-ups were lost into the index `due`, if `condition` holds. Also marks it dirty: a holder that
 * has read only the first item would otherwise remove the lane.
 */
export const makeDueAt = (
  lane: string,
  at: number,
  condition: Condition = { anyOf: [NOT_DUE, HANDED_OVER] },
): Update => ({
  address: laneAddress(lane),
  change: { set: { kind: { S: laneItem.kind }, ...laneItem.attributes({ lane, dirty: true, ...dueFor(lane, at) }) } },
  condition,
})

export const ensureLaneDue = (lane: string, at: number, condition?: Condition): Promise<unknown> =>
  updateItem(makeDueAt(lane, at, condition))

/** Throws `store.unavailable`, `store.conflict`. */
export const updateItem = ({ address, change, condition }: Update): Promise<Item | undefined> =>
  updateIf(address, change, condition)
