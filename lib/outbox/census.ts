/** The census: how many lanes wait, and for how long, out of the entries of the index `due`. */

import type { DueEntry } from '../store/due.ts'
import { waitingAt } from './destinations/index.ts'

/** The lists of more destinations than this are not read: each of them counts as one lane then. */
const MAX_DESTINATIONS = 200

/** Destinations whose lists are read at the same time. */
const CONCURRENCY = 8

/**
 * No lane waits for longer until its next attempt (retry-plan.ts), in ms. Jobs may be due in weeks, and are not
 * counted.
 */
const LONGEST_WAIT = 2 * 24 * 60 * 60_000

/** Counts pages of entries, none of which it keeps. `now` in ms since the epoch. */
export class Census {
  /** Entries that are due later need not be read. */
  readonly until: number
  readonly #now: number
  readonly #destinations: string[] = []
  #lanes = 0
  #since: number

  constructor(now: number) {
    this.until = now + LONGEST_WAIT
    this.#now = now
    this.#since = now
  }

  add(page: readonly DueEntry[]): void {
    for (const { kind, name, since } of page)
      if (kind === 'destination' && this.#destinations.length < MAX_DESTINATIONS) this.#destinations.push(name)
      else if (kind !== 'job') this.#count(1, since)
  }

  /** `since`: when they came to wait. */
  #count(lanes: number, since = this.#now): void {
    this.#lanes += lanes
    this.#since = Math.min(this.#since, since)
  }

  /**
   * How many lanes wait, with those in the waiting lists of destinations, and how long the oldest has waited (ms):
   * since its first attempt failed, or since it came into its list. Throws `store.unavailable`.
   */
  async result(): Promise<{ lanes: number; age: number }> {
    const rest = this.#destinations.values()
    const worker = async () => {
      for (const destination of rest) {
        const { lanes, since } = await waitingAt(destination)
        this.#count(lanes, since)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    return { lanes: this.#lanes, age: this.#now - this.#since }
  }
}
