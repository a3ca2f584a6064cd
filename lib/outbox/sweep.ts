/**
 * Once a minute the sweep wakes what is due. Every five it sends a heartbeat through the stream, counts what waits and
 * dead letters, and checks the key.
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

interface Swept {
  /** Entries that were due. */
  entries: number
  /** How long the oldest of them has been due, in ms. */
  age: number
}

/**
 * Wakes what is due at `now` (ms since the epoch). Entries that a queue does not accept stay due for the next sweep.
 */
export const sweep = async (now: number): Promise<Swept> => {
  // What is not due yet is read as well then, by the same requests.
  const census = countedIn === windowOf(now) ? undefined : new Census(now)
  const shards = await Promise.all(DUE_SHARDS.map((shard) => sweepShard(shard, now, census)))
  const entries = shards.reduce((sum, swept) => sum + swept.entries, 0)
  const age = shards.reduce((oldest, swept) => Math.max(oldest, swept.age), 0)
  if (entries > 0) tellOfDue({ entries, age })
  if (census !== undefined) {
    tellOfWaiting(await census.result())
    await sendHeartbeat(now)
    await countDeadLetters()
    await checkSealingKey()
    countedIn = windowOf(now)
  }
  return { entries, age }
}

const MINUTE = 60_000

/** What waits is counted once in this time, because a waiting list has 16 partitions to be read. */
const COUNTED_EVERY = 5 * MINUTE

const windowOf = (now: number): number => Math.floor(now / COUNTED_EVERY)

/** When this process has last counted. Where that fails it is tried again a minute later. */
let countedIn: number | undefined

/** What is due for so long is handled by nobody. */
const OVERDUE = 10 * MINUTE

const tellOfDue = ({ entries, age }: Swept): void => {
  const values = { OutboxDue: entries, OutboxDueAge: age }
  if (age < OVERDUE) measure('info', 'the sweep has found what is due', { event: 'outbox.swept' }, { values })
  else
    measure(
      'error',
      'what is due is not handled',
      { event: 'outbox.overdue' },
      { values: { ...values, OutboxOverdue: 1 } },
    )
}

/** Events are given up after 75 h 35 min, messages after a day (retry-plan.ts). */
const GIVEN_UP_BY = 77 * 60 * MINUTE

const tellOfWaiting = ({ lanes, age }: { lanes: number; age: number }): void => {
  if (lanes === 0) return
  const values = { OutboxWaiting: lanes, OutboxWaitingAge: age }
  measure('info', 'what waits was counted', { event: 'outbox.counted' }, { values })
  if (lanes >= settings().WAITING_LANES)
    measure('warn', 'many lanes wait', { event: 'outbox.crowded', lanes }, { values: { OutboxCrowded: 1 } })
  if (age >= GIVEN_UP_BY)
    measure(
      'error',
      'something is not given up',
      { event: 'outbox.not_given_up', age },
      { values: { OutboxNotGivenUp: 1 } },
    )
}

/**
 * Pages of a shard with what is not due yet: a job of each pickup queue is among them, and there may be millions. Up to
 * 160,000 lanes are counted ahead of their time.
 */
const MAX_AHEAD = 20

const sweepShard = async (shard: string, now: number, census: Census | undefined): Promise<Swept> => {
  const swept = { entries: 0, age: 0 }
  const shares = new Map<string, number>()
  let ahead = 0
  for await (const page of dueEntries(shard, census?.until ?? now)) {
    const due = page.filter(({ at }) => at <= now)
    await wake(toWake(due, { now, wokenAt, shares }), now)
    swept.entries += due.length
    swept.age = due.reduce((oldest, { at }) => Math.max(oldest, now - at), swept.age)
    census?.add(page)
    if (due.length < page.length && ++ahead === MAX_AHEAD) break
  }
  return swept
}

/**
 * Ms after which an entry is woken again that is still due at the same time: until then its wake-up may still be in its
 * queue.
 */
const AGAIN_AFTER = 5 * MINUTE

/**
 * Entries of one owner in a shard whose wake-ups may be in a queue: it has room for 120,000 messages, and others need
 * it too.
 */
const MAX_OF_OWNER = 256

interface Woken {
  now: number
  /** When the entry was last woken; ms since the epoch. */
  wokenAt: (entry: DueEntry) => number | undefined
  /** Entries of each owner so far whose wake-ups may be in a queue. */
  shares: Map<string, number>
}

/** The entries of a page to wake now. */
export const toWake = (due: readonly DueEntry[], { now, wokenAt, shares }: Woken): DueEntry[] =>
  due.filter((entry) => {
    const owner = ownerOf(entry)
    const share = (shares.get(owner) ?? 0) + 1
    shares.set(owner, share)
    const since = now - (wokenAt(entry) ?? Number.NEGATIVE_INFINITY)
    return share <= MAX_OF_OWNER && !(since >= 0 && since < AGAIN_AFTER)
  })

const ownerOf = ({ kind, name }: DueEntry): string =>
  kind === 'lane' ? laneOwner(name) : kind === 'job' ? jobGroupOf(name) : name

/**
 * When entries were woken. Only this process knows: another one may wake them once more, which does no harm, and which
 * queues of lanes drop.
 */
const woken = new Bounded<string, number>(100_000)
const keyOf = ({ kind, name, at }: DueEntry): string => `${kind} ${name} ${at}`
const wokenAt = (entry: DueEntry): number | undefined => woken.get(keyOf(entry))

const wake = async (entries: readonly DueEntry[], now: number): Promise<void> => {
  for (const [kind, some] of Map.groupBy(entries, (entry) => entry.kind)) {
    const accepted = await SEND[kind](some)
    for (const [index, entry] of some.entries()) if (accepted[index] === true) woken.set(keyOf(entry), now)
  }
}

const SEND: Record<DueEntry['kind'], (entries: DueEntry[]) => Promise<boolean[]>> = {
  lane: (entries) => wakeLanes(entries.map(({ name, at }) => ({ lane: name, reason: { kind: 'due', at } }))),
  destination: (entries) => wakeDestinations(entries.map(({ name, at }) => ({ destination: name, at }))),
  job: (entries) => wakeJobs(entries.map(({ name }) => name)),
}
