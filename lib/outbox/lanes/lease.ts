/** Leases of lanes: one invocation at a time delivers from a lane. */

import { AgentError, isAgentError } from '../../errors.ts'
import type { Condition } from '../../store/conditions.ts'
import { dueFor } from '../../store/due.ts'
import { decodeIfSound } from '../../store/item.ts'
import type { Item } from '../../store/table.ts'
import type { Updated } from '../../store/write.ts'
import type { FirstItem, LaneWakeUp } from '../wake-ups/index.ts'
import { laneAddress } from '../wake-ups/index.ts'
import { logCorrupt } from './corrupt-item.ts'
import { type Lane, type LeasedLane, laneItem, type Update } from './lane.ts'
import { type Pausing, pauseBefore } from './pause.ts'

/** Longer than a function that delivers may run (30 s), shorter than the visibility timeout of its queue (180 s). */
const LEASE_MS = 45_000

const MAX_TRIES = 10

const time = (value: number): Item[string] => ({ N: String(value) })

/** The condition for leasing the lane: of several wake-ups for the same time or entry only the first meets it. */
const conditionOf = ({ reason }: LaneWakeUp, now: number): Condition => {
  if (reason.kind === 'due') return { equals: { dueAt: time(reason.at) } }
  if (reason.kind !== 'committed') return { equals: { waiting: { S: reason.waiting } } }
  return { absent: ['waiting'], anyOf: [{ absent: ['dueAt'] }, { atMost: { dueAt: time(now) } }] }
}

/** The result of a wake-up: the lane is leased, or there is nothing to do, with the lane as it was found. */
export type Leasing = { leased: LeasedLane; found?: undefined } | { leased: undefined; found: Partial<Lane> }

export interface Lease {
  /** A unique id. */
  id: string
  /** When it begins; ms since the epoch. */
  now: number
  /** Leases before this time are over: the processes of their holders are known to have ended. */
  voidBefore?: number | undefined
}

interface LeaseActions extends Pausing {
  update(update: Update): Promise<Updated>
  put(item: Item): Promise<unknown>
}

/**
 * Leases the lane of a wake-up. There is nothing to do if the lane waits for something else, or is leased: then a
 * commit marks it, so that its holder reads again, or the next one if that one dies. Unless a commit has woken it, the
 * lane is due when the lease is over: if this invocation dies, its wake-up may find that the lane no longer waits under
 * it, but the sweep finds the lane. Throws `store.conflict`, `store.unavailable`.
 */
export const leaseLane = async (actions: LeaseActions, wakeUp: LaneWakeUp, lease: Lease): Promise<Leasing> => {
  const { lane, reason } = wakeUp
  const { id, now } = lease
  const update = leaseUpdate(wakeUp, lease)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // A transaction of the lane's holder takes some ms, where the wake-up would come again after minutes.
    const tried = await unlessConflict(actions.update(update))
    const item = tried?.written ?? tried?.found
    const found: Partial<Lane> | undefined = item === undefined ? {} : decodeIfSound(laneItem, item)
    // It has only lost what it waits for: it is replaced by one that is due at once, so that the sweep wakes it.
    if (found === undefined) {
      logCorrupt({ lane, kind: laneItem.kind })
      await actions.put(laneItem.encode({ lane, ...dueFor(lane, now) }))
      throw new AgentError('store.conflict', 'the lane was corrupt')
    }
    // A write whose condition failed may have succeeded before, if only its response was lost.
    if (found.lease === id) return { leased: { ...found, lane, lease: id } }
    if (tried !== undefined && (found.lease === undefined || reason.kind !== 'committed'))
      return { leased: undefined, found }
    // Its holder may have read it before this item was committed.
    const { lease: holder } = found
    const marked = holder === undefined ? undefined : await unlessConflict(actions.update(markUpdate(lane, holder)))
    if (marked?.written) return { leased: undefined, found }
    if (marked === undefined && tries + 1 < MAX_TRIES) await pauseBefore(actions, tries)
  }
  throw new AgentError('store.conflict', 'the lane changed at the same time')
}

const unlessConflict = async <T>(tried: Promise<T>): Promise<T | undefined> => {
  try {
    return await tried
  } catch (error) {
    if (isAgentError(error, 'store.conflict')) return undefined
    throw error
  }
}

const leaseUpdate = (wakeUp: LaneWakeUp, { id, now, voidBefore = 0 }: Lease): Update => {
  const { lane, reason } = wakeUp
  /** Leases until this time are over. */
  const overUntil = Math.max(now, voidBefore + LEASE_MS - 1)
  const leaseUntil = now + LEASE_MS
  const { anyOf, ...condition } = conditionOf(wakeUp, now)
  const due = reason.kind === 'committed' ? {} : dueFor(lane, leaseUntil)
  const set = { kind: { S: laneItem.kind }, ...laneItem.attributes({ lane, lease: id, leaseUntil, ...due }) }
  const free = [
    { absent: ['lease'], anyOf },
    { atMost: { leaseUntil: time(overUntil) }, anyOf },
  ]
  return { address: laneAddress(lane), change: { set, add: { leases: 1 } }, condition: { ...condition, anyOf: free } }
}

const markUpdate = (lane: string, holder: string): Update => ({
  address: laneAddress(lane),
  change: { set: laneItem.attributes({ dirty: true }) },
  condition: { equals: { lease: { S: holder } } },
})

/**
 * The item of a wake-up, if it may be sent without reading the lane. In a lane that has failed or waited there may be
 * earlier items. One that is dirty is read before it ends.
 */
export const firstOf = ({ failures, dueAt, waiting }: LeasedLane, { reason }: LaneWakeUp): FirstItem | undefined =>
  reason.kind === 'committed' && [failures, dueAt, waiting].every((one) => one === undefined) ? reason.first : undefined
