/** The sweep: once a minute it wakes all that is due. It measures what is due, and every five minutes what waits. */
import { measure } from '../metrics.ts'
import { DUE_SHARDS, type DueEntry, dueEntries } from './due.ts'
import { wakeDestinations, wakeJobs, wakeLanes } from './queues.ts'
import { waitingAt } from './waiting-list.ts'
import type { DestinationWakeUp, LaneWakeUp } from './wake-up.ts'

export interface Swept {
  /** Entries that were due. */
  entries: number
  /** How long the oldest of them has been due, in ms. */
  age: number
}

/** Wakes all that is due at `now` (ms since the epoch). Entries that a queue does not accept stay due for the next sweep. */
export const sweep = async (now: number): Promise<Swept> => {
  const counts = isCensusTime(now)
  // What is not due yet is read as well then, by the same requests.
  const shards = await Promise.all(DUE_SHARDS.map((shard) => sweepShard(shard, now, counts)))
  const swept = {
    entries: shards.reduce((sum, { entries }) => sum + entries, 0),
    age: shards.reduce((oldest, { age }) => Math.max(oldest, age), 0),
  }
  report(swept, now)
  if (counts)
    reportWaiting(
      await takeCensus(
        shards.flatMap(({ waiting }) => waiting),
        now,
      ),
      now,
    )
  return swept
}

interface SweptShard extends Swept {
  /** Every entry, also those that are not due, where they are counted. */
  waiting: DueEntry[]
}

const sweepShard = async (shard: string, now: number, counts: boolean): Promise<SweptShard> => {
  const swept: SweptShard = { entries: 0, age: 0, waiting: [] }
  for await (const page of dueEntries(shard, counts ? Number.MAX_SAFE_INTEGER : now)) {
    const due = page.filter(({ at }) => at <= now)
    await wakeLanes(due.flatMap(toLaneWakeUp))
    await wakeDestinations(due.flatMap(toDestinationWakeUp))
    await wakeJobs(due.flatMap(({ job }) => job ?? []))
    swept.entries += due.length
    swept.age = due.reduce((oldest, { at }) => Math.max(oldest, now - at), swept.age)
    if (counts) swept.waiting.push(...page)
  }
  return swept
}

const toLaneWakeUp = ({ lane, at }: DueEntry): LaneWakeUp[] =>
  lane === undefined ? [] : [{ lane, reason: { kind: 'due', at } }]

const toDestinationWakeUp = ({ destination, at }: DueEntry): DestinationWakeUp[] =>
  destination === undefined ? [] : [{ destination, at }]

const report = ({ entries, age }: Swept, now: number): void =>
  measure(
    'info',
    'the sweep has run',
    { event: 'outbox.swept' },
    { values: { OutboxDue: entries, OutboxDueAge: age }, now },
  )

const reportWaiting = ({ lanes, age }: Waiting, now: number): void =>
  measure(
    'info',
    'what waits was counted',
    { event: 'outbox.counted' },
    { values: { OutboxWaiting: lanes, OutboxWaitingAge: age }, now },
  )

/** Minutes from one census to the next: a waiting list has 16 partitions to be read. */
const EVERY = 5

/** The lists of more destinations than this are not read: each of them counts as one lane then. */
const MAX_DESTINATIONS = 200

/** Destinations whose lists are read at the same time. */
const CONCURRENCY = 8

/** Whether the sweep of this minute counts as well. `now` in ms since the epoch. */
const isCensusTime = (now: number): boolean => Math.floor(now / 60_000) % EVERY === 0

interface Waiting {
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
