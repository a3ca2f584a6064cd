/**
 * The sweep: once a minute it wakes the due lanes, destinations and jobs. Every five minutes it also sends a heartbeat
 * through the stream, counts waiting lanes and dead letters, and checks the sealing key.
 */

import { Bounded } from '../bounded.ts'
import { measure } from '../metrics.ts'
import { settings } from '../settings.ts'
import { DUE_SHARDS, type DueEntry, dueEntries } from '../store/due.ts'
import { checkSealingKey } from '../store/sealing-key.ts'
import { Census } from './census.ts'
import { countDeadLetters } from './dead-letters.ts'
import { sendHeartbeat } from './stream-heartbeat.ts'
import { jobGroupOf, laneOwner, wakeDestinations, wakeJobs, wakeLanes } from './wake-ups/index.ts'

interface SweepResult {
  /** Number of due entries. */
  entries: number
  /** How long the oldest of them has been due, in ms. */
  age: number
}

/**
 * Wakes everything that is due at `now` (ms since the epoch). Entries that a queue rejects stay due for the next sweep.
 */
export const sweep = async (now: number): Promise<SweepResult> => {
  // For the census the same requests also read entries that are not due yet.
  const census = lastCountedWindow === windowOf(now) ? undefined : new Census(now)
  const shards = await Promise.all(DUE_SHARDS.map((shard) => sweepShard(shard, now, census)))
  const entries = shards.reduce((sum, swept) => sum + swept.entries, 0)
  const age = shards.reduce((oldest, swept) => Math.max(oldest, swept.age), 0)
  if (entries > 0) reportDue({ entries, age })
  if (census !== undefined) {
    reportWaiting(await census.result())
    await sendHeartbeat(now)
    await countDeadLetters()
    await checkSealingKey()
    lastCountedWindow = windowOf(now)
  }
  return { entries, age }
}

const MINUTE = 60_000

/** Ms between two counts. They are expensive: a waiting list has 16 partitions. */
const COUNT_INTERVAL = 5 * MINUTE

const windowOf = (now: number): number => Math.floor(now / COUNT_INTERVAL)

/** The window in which this process has last counted. A count that failed is repeated a minute later. */
let lastCountedWindow: number | undefined

/** An entry that stays due for this long (ms) is not handled by any function. */
const OVERDUE = 10 * MINUTE

const reportDue = ({ entries, age }: SweepResult): void => {
  const values = { OutboxDue: entries, OutboxDueAge: age }
  if (age < OVERDUE) measure('info', 'due entries woken', { event: 'outbox.swept' }, { values })
  else
    measure(
      'error',
      'due entries are not handled',
      { event: 'outbox.overdue' },
      { values: { ...values, OutboxOverdue: 1 } },
    )
}

/** Events are given up after 75 h 35 min, messages after a day (retry-plan.ts). */
const MAX_WAITING_AGE = 77 * 60 * MINUTE

const reportWaiting = ({ lanes, age }: { lanes: number; age: number }): void => {
  if (lanes === 0) return
  const values = { OutboxWaiting: lanes, OutboxWaitingAge: age }
  measure('info', 'waiting lanes counted', { event: 'outbox.counted' }, { values })
  if (lanes >= settings().WAITING_LANES)
    measure('warn', 'many lanes wait', { event: 'outbox.crowded', lanes }, { values: { OutboxCrowded: 1 } })
  if (age >= MAX_WAITING_AGE)
    measure(
      'error',
      'an item was not given up in time',
      { event: 'outbox.not_given_up', age },
      { values: { OutboxNotGivenUp: 1 } },
    )
}

/**
 * Maximum number of pages of a shard with entries that are not due yet: each pickup queue has a job there, and there
 * may be millions. So at most 160,000 lanes that are not due yet are counted.
 */
const MAX_PAGES_AHEAD = 20

const sweepShard = async (shard: string, now: number, census: Census | undefined): Promise<SweepResult> => {
  const swept = { entries: 0, age: 0 }
  const shares = new Map<string, number>()
  let ahead = 0
  for await (const page of dueEntries(shard, census?.until ?? now)) {
    const due = page.filter(({ at }) => at <= now)
    await wake(entriesToWake(due, { now, wokenAt, shares }), now)
    swept.entries += due.length
    swept.age = due.reduce((oldest, { at }) => Math.max(oldest, now - at), swept.age)
    census?.add(page)
    if (due.length < page.length && ++ahead === MAX_PAGES_AHEAD) break
  }
  return swept
}

/** An entry that is still due after this time (ms) is woken again: until then its wake-up may still be in its queue. */
const WAKE_AGAIN_AFTER = 5 * MINUTE

/**
 * Maximum number of wake-ups of one owner in a shard that may be in a queue at a time: it has room for 120,000
 * messages, which all owners share.
 */
const MAX_OF_OWNER = 256

interface WakeHistory {
  now: number
  /** When the entry was last woken; ms since the epoch. */
  wokenAt: (entry: DueEntry) => number | undefined
  /** Number of entries of each owner so far whose wake-ups may be in a queue. */
  shares: Map<string, number>
}

/** The entries of a page to wake now. */
export const entriesToWake = (due: readonly DueEntry[], { now, wokenAt, shares }: WakeHistory): DueEntry[] =>
  due.filter((entry) => {
    const owner = ownerOf(entry)
    const share = (shares.get(owner) ?? 0) + 1
    shares.set(owner, share)
    const since = now - (wokenAt(entry) ?? Number.NEGATIVE_INFINITY)
    return share <= MAX_OF_OWNER && !(since >= 0 && since < WAKE_AGAIN_AFTER)
  })

const ownerOf = ({ kind, name }: DueEntry): string =>
  kind === 'lane' ? laneOwner(name) : kind === 'job' ? jobGroupOf(name) : name

/**
 * When this process woke an entry. Another process may wake it once more: the FIFO queues drop the duplicate, and a job
 * with nothing to do ends.
 */
const lastWoken = new Bounded<string, number>(100_000)
const keyOf = ({ kind, name, at }: DueEntry): string => `${kind} ${name} ${at}`
const wokenAt = (entry: DueEntry): number | undefined => lastWoken.get(keyOf(entry))

const wake = async (entries: readonly DueEntry[], now: number): Promise<void> => {
  for (const [kind, some] of Map.groupBy(entries, (entry) => entry.kind)) {
    const accepted = await WAKE_BY_KIND[kind](some)
    for (const [index, entry] of some.entries()) if (accepted[index] === true) lastWoken.set(keyOf(entry), now)
  }
}

const WAKE_BY_KIND: Record<DueEntry['kind'], (entries: DueEntry[]) => Promise<boolean[]>> = {
  lane: (entries) => wakeLanes(entries.map(({ name, at }) => ({ lane: name, reason: { kind: 'due', at } }))),
  destination: (entries) => wakeDestinations(entries.map(({ name, at }) => ({ destination: name, at }))),
  job: (entries) => wakeJobs(entries.map(({ name }) => name)),
}
