/** What a delivery does to the world outside, and all it waits for: tests decide in which order that happens. */

import type { Item } from '../store/table.ts'
import { putIf, type TableWrite, type Transacted, transact } from '../store/write.ts'
import { DUE_ACTIONS, type DueActions, recentTarget, type Slot, type Target, takeSlot } from './destinations/index.ts'
import type { LaneContents, Pausing } from './lanes/index.ts'
import type { FirstItem } from './wake-ups/index.ts'

/** Of the process. Times are ms since the epoch. */
export interface Environment extends Pausing {
  now(): number
  /** A unique id. */
  newId(): string
  /** Calls `act` after some ms. The returned function cancels that. */
  after(ms: number, act: () => void): () => void
  /** The contents of a lane; undefined for one of no known kind. `first`: the item to begin with, if no other was waiting. */
  open(lane: string, first?: FirstItem): Promise<LaneContents<unknown> | undefined>
}

export interface Actions extends Environment, DueActions {
  put(item: Item): Promise<unknown>
  transact(writes: TableWrite[]): Promise<Transacted>
  /** An address and its origin, as this process has read them in the last seconds, if it has. */
  target(destination: string, now: number): Promise<Target>
  /** Undefined if all are taken. */
  takeSlot(destination: string, owner: string, at: { now: number; random: number }): Promise<Slot | undefined>
}

/** On the table and the queues. */
export const actionsIn = (environment: Environment): Actions => ({
  ...environment,
  ...DUE_ACTIONS,
  put: (item) => putIf(item),
  transact,
  target: recentTarget,
  takeSlot,
})
