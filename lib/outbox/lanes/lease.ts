/** Leases of lanes: one invocation at a time delivers from a lane. */

import { AgentError, isAgentError } from '../../errors.ts'
import type { Condition } from '../../store/conditions.ts'
import { dueFor } from '../../store/due.ts'
import { tryDecode } from '../../store/item.ts'
import type { Item } from '../../store/table.ts'
import type { Updated } from '../../store/write.ts'
import type { FirstItem, LaneWakeUp } from '../wake-ups/index.ts'
import { laneAddress } from '../wake-ups/index.ts'
import { logCorrupt } from './corrupt-item.ts'
import { type Lane, type LeasedLane, laneItem, type Update } from './lane.ts'
import { type PauseActions, pauseBefore } from './pause.ts'

/** Longer than the timeout of the function (30 s), shorter than the visibility timeout of its queue (180 s). */
const LEASE_MS = 45_000

const MAX_TRIES = 10

const numberValue = (value: number): Item[string] => ({ N: String(value) })

/**
 * The condition for leasing the lane: of several wake-ups for the same time or entry, only the first one satisfies it.
 */
const conditionOf = ({ reason }: LaneWakeUp, now: number): Condition => {
  if (reason.kind === 'due') return { equals: { dueAt: numberValue(reason.at) } }
  if (reason.kind !== 'committed') return { equals: { waiting: { S: reason.waiting } } }
  return { absent: ['waiting'], anyOf: [{ absent: ['dueAt'] }, { atMost: { dueAt: numberValue(now) } }] }
}

/** The result of a wake-up: the lane is leased, or there is nothing to do (`found`: the lane's item). */
export type LeaseResult = { leased: LeasedLane; found?: undefined } | { leased: undefined; found: Partial<Lane> }

export interface Lease {
  /** A unique id. */
  id: string
  /** Start of the lease; ms since the epoch. */
  now: number
  /** Leases from before this time are void: the processes of their holders have ended. */
  voidBefore?: number | undefined
}

interface LeaseActions extends PauseActions {
  update(update: Update): Promise<Updated>
  put(item: Item): Promise<unknown>
}

/**
 * Leases the lane of a wake-up. There is nothing to do if the lane waits for something else or is leased. In a leased
 * lane a `committed` wake-up sets `dirty`, so that the holder (or the next one) reads the items again. For any other
 * reason the lane is also due when the lease ends: if this invocation dies, its wake-up no longer matches what the lane
 * waits for, so the sweep wakes the lane. Throws `store.conflict`, `store.unavailable`.
 */
export const leaseLane = async (actions: LeaseActions, wakeUp: LaneWakeUp, lease: Lease): Promise<LeaseResult> => {
  const { lane, reason } = wakeUp
  const { id, now } = lease
  const update = leaseUpdate(wakeUp, lease)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // A transaction of the lane's holder takes some ms, but SQS would deliver the wake-up again only after minutes.
    const result = await unlessConflict(actions.update(update))
    const item = result?.written ?? result?.existing
    const found: Partial<Lane> | undefined = item === undefined ? {} : tryDecode(laneItem, item)
    // A corrupt item only loses what the lane waits for: it is replaced by one that is due now, so that the sweep wakes
    // the lane.
    if (found === undefined) {
      logCorrupt({ lane, kind: laneItem.kind })
      await actions.put(laneItem.encode({ lane, ...dueFor(lane, now) }))
      throw new AgentError('store.conflict', 'the lane was corrupt')
    }
    // A failed condition may be the retry of a write that succeeded, if its response was lost.
    if (found.lease === id) return { leased: { ...found, lane, lease: id } }
    if (result !== undefined && (found.lease === undefined || reason.kind !== 'committed'))
      return { leased: undefined, found }
    // The holder may have read the lane before this item was committed.
    const { lease: holder } = found
    const markResult = holder === undefined ? undefined : await unlessConflict(actions.update(markUpdate(lane, holder)))
    if (markResult?.written) return { leased: undefined, found }
    if (markResult === undefined && tries + 1 < MAX_TRIES) await pauseBefore(actions, tries)
  }
  throw new AgentError('store.conflict', 'too many concurrent changes of the lane')
}

const unlessConflict = async <T>(request: Promise<T>): Promise<T | undefined> => {
  try {
    return await request
  } catch (error) {
    if (isAgentError(error, 'store.conflict')) return undefined
    throw error
  }
}

const leaseUpdate = (wakeUp: LaneWakeUp, { id, now, voidBefore = 0 }: Lease): Update => {
  const { lane, reason } = wakeUp
  /** Leases that end by this time are over. */
  const overUntil = Math.max(now, voidBefore + LEASE_MS - 1)
  const leaseUntil = now + LEASE_MS
  const { anyOf, ...condition } = conditionOf(wakeUp, now)
  const due = reason.kind === 'committed' ? {} : dueFor(lane, leaseUntil)
  const set = { kind: { S: laneItem.kind }, ...laneItem.attributes({ lane, lease: id, leaseUntil, ...due }) }
  const free = [
    { absent: ['lease'], anyOf },
    { atMost: { leaseUntil: numberValue(overUntil) }, anyOf },
  ]
  return { address: laneAddress(lane), change: { set, add: { leases: 1 } }, condition: { ...condition, anyOf: free } }
}

const markUpdate = (lane: string, holder: string): Update => ({
  address: laneAddress(lane),
  change: { set: laneItem.attributes({ dirty: true }) },
  condition: { equals: { lease: { S: holder } } },
})

/**
 * The item of a wake-up, if it may be sent without reading the lane. A lane that has failed or waited may have earlier
 * items. A dirty lane is read before it is removed.
 */
export const firstOf = ({ failures, dueAt, waiting }: LeasedLane, { reason }: LaneWakeUp): FirstItem | undefined =>
  reason.kind === 'committed' && [failures, dueAt, waiting].every((one) => one === undefined) ? reason.first : undefined
