/**
 * Destinations: what can be down, such as a mediator's origin or a webhook endpoint. The item says whether it is up,
 * and how quickly it answers.
 */

import * as v from 'valibot'
import { DUE_FIELDS, dueFields } from '../../store/due.ts'
import { defineItem, type Stored } from '../../store/item.ts'
import { integer, json, optional, text } from '../../store/item-fields.ts'
import { digest } from '../../store/keys.ts'
import { epochSeconds, type Item } from '../../store/table.ts'
import { absentOrExpired } from '../../store/write.ts'
import type { Update } from '../lanes/index.ts'
import { destinationAddress, laneOwner } from '../wake-ups/index.ts'
import { Suspicion } from './circuit-breaker.ts'

/**
 * The names of a lane and its owner in a destination's item: parts of their digests, because the item is read often and
 * must stay small.
 */
export const suspectOf = (lane: string): { lane: string; party: string } => ({
  lane: shortName(lane),
  party: shortName(laneOwner(lane)),
})

/** A part of a lane's digest. */
export const shortName = (lane: string): string => digest(lane).slice(0, 12)

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
/**
 * Whether it is known to be quick. If not, it is slow, which ends `quickUntil`, or has never answered, and an attempt
 * may take until the timeout.
 */
export const isQuick = ({ quickUntil = 0 }: Destination, now: number): boolean => quickUntil > now

/** What an attempt has to do with: an address, and its origin. A webhook endpoint is both. */
export interface Target {
  origin: Destination
  address: Destination
}

/** Expiry after the last write, in seconds. A destination that lanes wait for has none. */
const KEPT_SECONDS = 2 * 24 * 60 * 60

const expiryOf = (quickUntil: number | undefined, now: number): number =>
  Math.max(epochSeconds(now) + KEPT_SECONDS, epochSeconds(quickUntil ?? 0))

export type Change = { set: Partial<Destination>; remove?: readonly (keyof Destination)[] }

const kind = { S: destinationItem.kind }

/** The fields to remove from an item that has expired or is corrupt, so that none of its values remains. */
const leftovers = (set: object): string[] => Object.keys(fields).filter((name) => !(name in set))

/** Changes a destination on condition that it is still as it was read. */
export const changed = (read: Destination, { set, remove = [] }: Change, now: number): Update => {
  const { destination, version } = read
  const lasts = (set.dueAt ?? (remove.includes('dueAt') ? undefined : read.dueAt)) !== undefined
  const values = {
    ...{ destination, version: version + 1, ...set },
    ...(lasts ? {} : { expiresAt: expiryOf(set.quickUntil ?? read.quickUntil, now) }),
  }
  const removed = version === 0 ? leftovers(values) : lasts ? [...remove, 'expiresAt'] : remove
  return {
    address: destinationAddress(destination),
    change: { set: { kind, ...destinationItem.attributes(values) }, remove: removed },
    condition: version === 0 ? absentOrExpired() : { equals: { version: { N: String(version) } } },
  }
}

/** Replaces a corrupt item: the destination is open, and due, so that the lanes that wait for it are released. */
export const renewed = (after: Destination, { version }: Item): Update => ({
  address: destinationAddress(after.destination),
  change: { set: { kind, ...destinationItem.attributes(after) }, remove: leftovers(after) },
  condition: version === undefined ? { absent: ['version'] } : { equals: { version } },
})

/** A destination whose waiting list is empty leaves the index. */
export const LEAVES_INDEX: Change = {
  set: {},
  remove: [...DUE_FIELDS, 'rounds', 'released', 'closedAt', 'probeAt', 'suspicions'],
}
