/** The census: the number of waiting lanes and the age of the oldest, including lanes without an entry of their own in the index `due`. */
import type { DueEntry } from './due.ts'
import { waitingAt } from './waiting-list.ts'

/** Minutes from one census to the next: a waiting list has 16 partitions to be read. */
const EVERY = 5

/** The lists of more destinations than this are not read: each of them counts as one lane then. */
const MAX_DESTINATIONS = 200

/** Destinations whose lists are read at the same time. */
const CONCURRENCY = 8

/** Whether the sweep of this minute counts as well. `now` in ms since the epoch. */
export const isCensusTime = (now: number): boolean => Math.floor(now / 60_000) % EVERY === 0

export interface Waiting {
  lanes: number
  /** How long the oldest has waited, in ms: since its first attempt failed, or since it came into its destination's list. */
  age: number
}

/** Counts what waits, of all entries of the index. Throws `store.unavailable`. */
export const takeCensus = async (entries: readonly DueEntry[], now: number): Promise<Waiting> => {
  const destinations = entries.flatMap(({ destination }) => (destination === undefined ? [] : [destination]))
  const own = entries.filter(({ lane }) => lane !== undefined)
  const waiting = {
    lanes: own.length + Math.max(0, destinations.length - MAX_DESTINATIONS),
    since: own.reduce((oldest, { since = now }) => Math.min(oldest, since), now),
  }
  const rest = destinations.slice(0, MAX_DESTINATIONS).values()
  const worker = async () => {
    for (const destination of rest) {
      const { lanes, since = now } = await waitingAt(destination)
      waiting.lanes += lanes
      waiting.since = Math.min(waiting.since, since)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return { lanes: waiting.lanes, age: now - waiting.since }
}
