/** The I/O of a delivery, as functions that it is given: tests replace them, and decide in which order they complete. */

import type { Item } from '../store/table.ts'
import { putIf, type TableWrite, type TransactionResult, transact } from '../store/write.ts'
import { DUE_ACTIONS, type DueActions, recentTarget, type Slot, type Target, takeSlot } from './destinations/index.ts'
import type { LaneContents, PauseActions } from './lanes/index.ts'
import type { FirstItem } from './wake-ups/index.ts'

/** What the process provides. Times are ms since the epoch. */
export interface Environment extends PauseActions {
  now(): number
  /** A unique id. */
  newId(): string
  /** Calls `act` after some ms. The returned function cancels that. */
  after(ms: number, act: () => void): () => void
  /**
   * The contents of a lane; undefined for a name of an unknown kind. `first`: the item to begin with, if it was alone.
   */
  contentsOf(lane: string, first?: FirstItem): Promise<LaneContents<unknown> | undefined>
}

export interface Actions extends Environment, DueActions {
  put(item: Item): Promise<unknown>
  transact(writes: TableWrite[]): Promise<TransactionResult>
  /** The state of an address and its origin; what this process has read in the last seconds comes from its cache. */
  target(destination: string, now: number): Promise<Target>
  /** Undefined if no slot is free. */
  takeSlot(destination: string, owner: string, at: { now: number; random: number }): Promise<Slot | undefined>
}

/** The actions that use the table and the queues. */
export const actionsIn = (environment: Environment): Actions => ({
  ...environment,
  ...DUE_ACTIONS,
  put: (item) => putIf(item),
  transact,
  target: recentTarget,
  takeSlot,
})
