/** One run of a removal: it ends after a time, and removes at most so many items a second. */
import { setTimeout as delay } from 'node:timers/promises'

/** Of a run, in ms: well below the timeout of the function (60 s). */
const MAX_MS = 45_000

/** Items a second, so that the operations have the table's throughput. */
const MAX_RATE = 200

/** The time of a run is over: another one continues. */
export class RunEnded extends Error {}

export interface Run {
  /** Number of items that it has removed. */
  removed: number
  isOver(): boolean
  /** Throws a `RunEnded` if the time is over. */
  checkTime(): void
  /** Removes `count` items by `act`. Throws a `RunEnded` if the time is over. */
  remove<T>(count: number, act: () => Promise<T>): Promise<T>
}

/** Begins a run. `maxMs`: its time. */
export const startRun = (maxMs = MAX_MS): Run => {
  const endsAt = Date.now() + maxMs
  let freeAt = Date.now()
  const run: Run = {
    removed: 0,
    isOver: () => Date.now() >= endsAt,
    checkTime: () => {
      if (run.isOver()) throw new RunEnded()
    },
    remove: async (count, act) => {
      run.checkTime()
      await delay(Math.max(0, freeAt - Date.now()))
      freeAt = Math.max(freeAt, Date.now()) + (count * 1_000) / MAX_RATE
      const result = await act()
      run.removed += count
      return result
    },
  }
  return run
}
