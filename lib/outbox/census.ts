/** The census counts the lanes that wait, and how long they have waited, from the entries of the index `due`. */

import type { DueEntry } from '../store/due.ts'
import { countWaitingLanes } from './destinations/index.ts'

/** Maximum number of waiting lists that are read. Each further destination counts as one lane. */
const MAX_DESTINATIONS = 200

/** Number of lists that are read concurrently. */
const CONCURRENCY = 8

/**
 * Maximum time until the next attempt of a lane (retry-plan.ts), in ms. Jobs may be due in weeks, and are not counted.
 */
const MAX_WAIT = 2 * 24 * 60 * 60_000

/** Counts entries page by page, without keeping them. `now` in ms since the epoch. */
export class Census {
  /** The caller need not read entries that are due later. */
  readonly until: number
  readonly #now: number
  readonly #destinations: string[] = []
  #lanes = 0
  #since: number

  constructor(now: number) {
    this.until = now + MAX_WAIT
    this.#now = now
    this.#since = now
  }

  add(page: readonly DueEntry[]): void {
    for (const { kind, name, since } of page)
      if (kind === 'destination' && this.#destinations.length < MAX_DESTINATIONS) this.#destinations.push(name)
      else if (kind !== 'job') this.#count(1, since)
  }

  /** `since`: when the oldest of them began to wait. */
  #count(lanes: number, since = this.#now): void {
    this.#lanes += lanes
    this.#since = Math.min(this.#since, since)
  }

  /**
   * How many lanes wait, with those in the waiting lists of destinations, and how long the oldest has waited (ms):
   * since its first attempt failed, or since it was added to its list. Throws `store.unavailable`.
   */
  async result(): Promise<{ lanes: number; age: number }> {
    const rest = this.#destinations.values()
    const worker = async () => {
      for (const destination of rest) {
        const { lanes, since } = await countWaitingLanes(destination)
        this.#count(lanes, since)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    return { lanes: this.#lanes, age: this.#now - this.#since }
  }
}
