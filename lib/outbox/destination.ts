/** Destinations: what can be down, such as a mediator's origin or a webhook endpoint. The item says whether it is up, and how quickly it answers. */
import * as v from 'valibot'
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { log } from '../log.ts'
import { measure } from '../metrics.ts'
import { DUE_FIELDS, dueFields, dueFor } from '../store/due.ts'
import { decodeIfSound, defineItem, type Stored } from '../store/item.ts'
import { integer, json, optional, text } from '../store/item-fields.ts'
import { type Address, destinationAddress, digest, laneOwner, originOf } from '../store/keys.ts'
import { addressOf, epochSeconds, getItem, getItems, type Item } from '../store/table.ts'
import { absentOrExpired, updateIf } from '../store/write.ts'
import { addSuspicion, closes, IGNORED_FOR, MAX_SUSPECTS, probeDelay } from './circuit-breaker.ts'
import { logCorrupt } from './corrupt-item.ts'
import { makeDueNow } from './lane.ts'
import { wakeLater } from './queues.ts'

/** The names of a lane and its owner in a destination's item: parts of their digests, because the item is read often and must stay small. */
export const suspectOf = (lane: string): { lane: string; party: string } => ({
  lane: nameOf(lane),
  party: nameOf(laneOwner(lane)),
})

const nameOf = (lane: string): string => digest(lane).slice(0, 12)

const Suspicion = v.object({
  lane: v.string(),
  party: v.optional(v.string()),
  own: v.optional(v.string()),
  at: v.number(),
})

/** Times are ms since the epoch. */
const fields = {
  destination: text(),
  /** Counts the writes: each is on condition of what was read. */
  version: integer(),
  /** Present while it is closed. */
  closedAt: optional(integer()),
  /** Time of the next probe while it is closed. `dueAt` is earlier if something else has to be done before. */
  probeAt: optional(integer()),
  /** Number of probes since it was closed, or of releases since it was opened. */
  rounds: optional(integer()),
  /** While lanes are released: one lane of the last release, and its entry in the waiting list. */
  released: optional(json(v.object({ lane: v.string(), entry: v.string(), at: v.number() }))),
  /** Failures that count now (circuit-breaker.ts). While it is closed: those that closed it, and those of probes. */
  suspicions: optional(json(v.array(Suspicion))),
  /** Lanes whose failures do not count until a time. */
  ignored: optional(json(v.array(v.object({ lane: v.string(), until: v.number() })))),
  slowUntil: optional(integer()),
  /** Number of quick answers after which it is no longer slow, and how often it became slow. */
  slowLeft: optional(integer()),
  slowTimes: optional(integer()),
  /** It has answered quickly, and counts as quick until this time unless it becomes slow. */
  quickUntil: optional(integer()),
  expiresAt: optional(integer()),
  ...dueFields,
}

export const destinationItem = defineItem(
  'destination',
  ({ destination }: { destination: string }) => destinationAddress(destination),
  fields,
)
export type Destination = Stored<typeof destinationItem>

export const isClosed = ({ closedAt }: Destination): boolean => closedAt !== undefined
export const isSlow = ({ slowUntil = 0 }: Destination, now: number): boolean => slowUntil > now
/** Whether it is known to be quick. If not, it is slow or has never answered, and an attempt may take until the timeout. */
export const isQuick = ({ slowUntil = 0, quickUntil = 0 }: Destination, now: number): boolean =>
  slowUntil <= now && quickUntil > now

/** What was read is used for some seconds. A lane that is going to wait reads it again; any other makes at most one more attempt. */
const REMEMBERED_MS = 3_000
const known = new Bounded<string, { read: Destination; until: number }>(4_000)

const remember = (read: Destination, now: number): Destination => {
  known.set(read.destination, { read, until: now + REMEMBERED_MS })
  return read
}

const knownOf = (destination: string, now: number): { read: Destination } | undefined => {
  const recent = known.get(destination)
  return recent !== undefined && now < recent.until ? recent : undefined
}

/** Reads a destination from the table. `now` in ms since the epoch. Throws `store.unavailable`. */
export const readDestination = async (destination: string, now: number): Promise<Destination> =>
  asFound(destination, await getItem(destinationAddress(destination)), now)

const asFound = async (destination: string, item: Item | undefined, now: number): Promise<Destination> => {
  if (item === undefined) return remember({ destination, version: 0 }, now)
  return remember(decodeIfSound(destinationItem, item) ?? (await renew(destination, item, now)), now)
}

/**
 * Reads what this process has not read in the last seconds of a destination and its origin, and in the same request the item at an address. Undefined
 * if there is no such item, or if both were cached already: then there is no request. Throws `store.unavailable`.
 */
export const readWithDestination = async (
  destination: string,
  now: number,
  address?: Address,
): Promise<Item | undefined> => {
  const unknown = [...new Set([originOf(destination), destination])].filter((name) => !knownOf(name, now))
  if (unknown.length === 0) return undefined
  const items = await getItems([...(address === undefined ? [] : [address]), ...unknown.map(destinationAddress)])
  const found = new Map(items.map((item) => [addressOf(item).pk, item]))
  for (const name of unknown) await asFound(name, found.get(destinationAddress(name).pk), now)
  return found.get(address?.pk ?? '')
}

/** What an attempt has to do with: an address, and its origin. A webhook endpoint is both. */
export interface Target {
  origin: Destination
  address: Destination
}

/** A destination and its origin, as this process has read them in the last seconds, or else as they are in the table. Throws `store.unavailable`. */
export const recentTarget = async (destination: string, now: number): Promise<Target> => {
  await readWithDestination(destination, now)
  const origin = await recentDestination(originOf(destination), now)
  return { origin, address: origin.destination === destination ? origin : await recentDestination(destination, now) }
}

/** Replaces a corrupt item: the destination is open, and due, so that the lanes that wait for it are released. Another invocation may be faster. */
const renew = async (destination: string, { version }: Item, now: number): Promise<Destination> => {
  const renewed = { destination, version: 1, rounds: 0, ...dueFor(destination, now) }
  const written = await updateIf(
    destinationAddress(destination),
    { set: { kind, ...destinationItem.attributes(renewed) }, remove: leftovers(renewed) },
    version === undefined ? { absent: ['version'] } : { equals: { version } },
  )
  if (written === undefined) return readDestination(destination, now)
  logCorrupt({ destination, kind: destinationItem.kind }, now)
  return renewed
}

/** The destination as this process has read it in the last seconds, or else as it is in the table. Throws `store.unavailable`. */
export const recentDestination = async (destination: string, now: number): Promise<Destination> =>
  knownOf(destination, now)?.read ?? readDestination(destination, now)

/** Expiry after the last write, in seconds. A destination that lanes wait for has none. */
const KEPT_SECONDS = 2 * 24 * 60 * 60

const expiryOf = (quickUntil: number | undefined, now: number): number =>
  Math.max(epochSeconds(now) + KEPT_SECONDS, epochSeconds(quickUntil ?? 0))

export type Change = { set: Partial<Destination>; remove?: readonly (keyof Destination)[] }

const kind = { S: destinationItem.kind }

/** The fields to remove from an item that has expired or is corrupt, so that none of its values remains. */
const leftovers = (set: object): string[] => Object.keys(fields).filter((name) => !(name in set))

/** Changes a destination on condition that it is still as it was read; undefined if it is not. */
export const change = async (
  read: Destination,
  { set, remove = [] }: Change,
  now: number,
): Promise<Destination | undefined> => {
  const { destination, version } = read
  const lasts = (set.dueAt ?? (remove.includes('dueAt') ? undefined : read.dueAt)) !== undefined
  const values = {
    ...{ destination, version: version + 1, ...set },
    ...(lasts ? {} : { expiresAt: expiryOf(set.quickUntil ?? read.quickUntil, now) }),
  }
  const removed = version === 0 ? leftovers(values) : lasts ? [...remove, 'expiresAt'] : remove
  const item = await updateIf(
    destinationAddress(destination),
    { set: { kind, ...destinationItem.attributes(values) }, remove: removed },
    version === 0 ? absentOrExpired() : { equals: { version: { N: String(version) } } },
  )
  known.delete(destination)
  return item === undefined ? undefined : remember(destinationItem.decode(item), now)
}

/** A decision is made again this many times, if others have changed the destination at the same time. */
const MAX_TRIES = 10

interface Decided {
  after: Destination
  /** Whether this decision was written. If not, it was not needed, or others were always faster. */
  written: boolean
}

/** Applies a decision to the stored destination, and repeats it after a concurrent write. Throws `store.unavailable`. */
export const decide = async (
  destination: string,
  now: number,
  decision: (read: Destination) => Change | undefined,
): Promise<Decided> => {
  for (let tries = 0; ; tries++) {
    const read = await readDestination(destination, now)
    const made = decision(read)
    if (made === undefined || tries === MAX_TRIES) return { after: read, written: false }
    const changed = await change(read, made, now)
    if (changed !== undefined) return { after: changed, written: true }
  }
}

export interface LaneFailure {
  lane: string
  /** Undefined for a destination that is not shared. */
  party: string | undefined
  fault: 'connection' | 'gateway'
  /** Whether the attempt was a probe. */
  probe: boolean
  /** Ms since the epoch. */
  now: number
  /** In [0, 1). */
  random: number
}

/**
 * Counts a failure that is the destination's fault, and closes the destination if there are enough of them. Returns the destination after that.
 * Lanes that failed while others succeeded do not count.
 */
export const recordFailure = async (destination: string, failure: LaneFailure): Promise<Destination> => {
  const { party, fault, probe, now, random } = failure
  const { lane } = suspectOf(failure.lane)
  const { after, written } = await decide(destination, now, (read) => {
    const { suspicions = [], ignored = [] } = read
    const counted = ignored.filter(({ until }) => until > now)
    const added = { ...suspectOf(failure.lane), at: now }
    if (isClosed(read))
      return probe
        ? { set: { suspicions: [...suspicions.filter((one) => one.lane !== lane), added].slice(-MAX_SUSPECTS) } }
        : undefined
    if (counted.some((one) => one.lane === lane)) return undefined
    const all = addSuspicion(suspicions, party === undefined ? { ...added, own: failure.lane } : added)
    if (fault !== 'connection' && !closes(all, counted.length > 0)) return { set: { suspicions: all } }
    const at = now + probeDelay(0, random)
    return { set: { suspicions: all, closedAt: now, probeAt: at, rounds: 0, ...dueFor(destination, at) } }
  })
  if (!written || after.closedAt !== now || after.dueAt === undefined) return after
  const failures = after.suspicions?.length
  const fields = { event: 'destination.closed', destination, fault, failures } as const
  measure('warn', 'a destination is closed', fields, { values: { DestinationsClosed: 1 }, now })
  // By their retry plans these lanes would wait for hours. Woken now, they are added to the waiting list, and released with the other lanes.
  for (const { own } of after.suspicions ?? [])
    if (own !== undefined && own !== failure.lane) await makeDueNow(own, now)
  await wakeLater({ destination, at: after.dueAt }, after.dueAt - now)
  return after
}

/**
 * Records a success, if that is news: earlier failures no longer count, and the lane counts again. After an outage many lanes succeed at the same time,
 * so the decision is made again after a concurrent write.
 */
export const recordSuccess = async (read: Destination, lane: string, now: number): Promise<void> => {
  const name = nameOf(lane)
  const news = (current: Destination): Change | undefined => {
    const { suspicions = [], ignored = [] } = current
    if (isClosed(current) || (suspicions.length === 0 && !ignored.some((one) => one.lane === name))) return undefined
    return { set: { ignored: ignored.filter((one) => one.lane !== name) }, remove: ['suspicions'] }
  }
  if (news(read) !== undefined) await decide(read.destination, now, news)
}

/**
 * Opens a destination that `lane` has reached. The failures of other lanes that had closed it do not count for a day, because the lanes
 * themselves may be the cause. From now on the waiting lanes are released.
 */
export const openDestination = async (
  destination: string,
  { lane, now }: { lane: string; now: number },
): Promise<void> => {
  const name = nameOf(lane)
  const { written } = await decide(destination, now, (read) => {
    if (!isClosed(read)) return undefined
    const until = now + IGNORED_FOR
    const others = (read.suspicions ?? []).filter((one) => one.lane !== name).map((one) => ({ lane: one.lane, until }))
    const before = (read.ignored ?? []).filter((one) => one.until > now && one.lane !== name)
    const ignored = [...before, ...others].slice(-MAX_SUSPECTS)
    return { set: { ignored, rounds: 0, ...dueFor(destination, now) }, remove: ['closedAt', 'probeAt', 'suspicions'] }
  })
  if (!written) return
  log('info', 'a destination is open again', { event: 'destination.opened', destination })
  await wakeLater({ destination, at: now }, 0)
}

/** Makes a destination due, unless it is in the index already, so that its waiting lanes are released. Throws `store.conflict` if it cannot. */
export const ensureDue = async (destination: string, now: number): Promise<void> => {
  const at = now + 1_000
  const { after, written } = await decide(destination, now, ({ dueAt }) =>
    dueAt === undefined ? { set: { rounds: 0, ...dueFor(destination, at) } } : undefined,
  )
  if (after.dueAt === undefined) throw new AgentError('store.conflict', 'the destination changed at the same time')
  if (written) await wakeLater({ destination, at }, at - now)
}

/** Removes a destination whose waiting list is empty from the index. */
export const leaveIndex = (read: Destination, now: number): Promise<Destination | undefined> =>
  change(read, { set: {}, remove: [...DUE_FIELDS, 'rounds', 'released', 'closedAt', 'probeAt', 'suspicions'] }, now)
