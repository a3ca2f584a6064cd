/**
 * The item of a destination, which is anything that can be down: an origin, an address of it, or a webhook endpoint. It
 * says whether the destination is open and how quickly it responds.
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
import { CountedFailure } from './circuit-breaker.ts'

/** The short names of a lane and its owner in a destination's item, which is read often and must stay small. */
export const shortNamesOf = (lane: string): { lane: string; party: string } => ({
  lane: shortName(lane),
  party: shortName(laneOwner(lane)),
})

/** The first characters of the digest of a name. */
export const shortName = (lane: string): string => digest(lane).slice(0, 12)

/** Times are ms since the epoch. */
const fields = {
  destination: text(),
  /** Number of writes: each write has the condition that it is unchanged (optimistic locking). */
  version: integer(),
  /** Present while it is closed. */
  closedAt: optional(integer()),
  /** Time of the next probe while it is closed. `dueAt` is earlier if items must be given up before. */
  probeAt: optional(integer()),
  /** Number of probes since it was closed, or of releases since it was opened. */
  rounds: optional(integer()),
  /** While lanes are released: the first lane of the last release, its entry in the waiting list, and the time. */
  released: optional(json(v.object({ lane: v.string(), entry: v.string(), at: v.number() }))),
  /** Failures that count now (circuit-breaker.ts). While it is closed: those that closed it, and those of probes. */
  suspicions: optional(json(v.array(CountedFailure))),
  /** Lanes whose failures do not count, each until a time. */
  ignored: optional(json(v.array(v.object({ lane: v.string(), until: v.number() })))),
  slowUntil: optional(integer()),
  /** Number of quick responses until it is no longer slow, and how often it became slow. */
  slowLeft: optional(integer()),
  slowTimes: optional(integer()),
  /** After a quick response: it counts as quick until this time, unless it becomes slow. */
  quickUntil: optional(integer()),
  expiresAt: optional(integer()),
  ...dueFields,
}

export const destinationItem = defineItem(
  'destination',
  ({ destination }: { destination: string }) => destinationAddress(destination),
  fields,
  'service',
)
export type Destination = Stored<typeof destinationItem>

export const isClosed = ({ closedAt }: Destination): boolean => closedAt !== undefined
export const isSlow = ({ slowUntil = 0 }: Destination, now: number): boolean => slowUntil > now
/**
 * Whether it is known to be quick. Otherwise it is slow (which removes `quickUntil`) or has never responded, and an
 * attempt may take until the timeout.
 */
export const isQuick = ({ quickUntil = 0 }: Destination, now: number): boolean => quickUntil > now

/** The destinations of an attempt: an address and its origin. A webhook endpoint is both. */
export interface Target {
  origin: Destination
  address: Destination
}

/** Expiry after the last write, in seconds. A destination in the index `due` does not expire. */
const EXPIRY_SECONDS = 2 * 24 * 60 * 60

const expiryOf = (quickUntil: number | undefined, now: number): number =>
  Math.max(epochSeconds(now) + EXPIRY_SECONDS, epochSeconds(quickUntil ?? 0))

export type DestinationChange = { set: Partial<Destination>; remove?: readonly (keyof Destination)[] }

const kind = { S: destinationItem.kind }

/** The fields to remove from an expired or corrupt item, so that no old value remains. */
const fieldsToRemove = (set: object): string[] => Object.keys(fields).filter((name) => !(name in set))

/** The update of a destination, with the condition that it is unchanged since it was read. */
export const updateOf = (read: Destination, { set, remove = [] }: DestinationChange, now: number): Update => {
  const { destination, version } = read
  const staysDue = (set.dueAt ?? (remove.includes('dueAt') ? undefined : read.dueAt)) !== undefined
  const values = {
    ...{ destination, version: version + 1, ...set },
    ...(staysDue ? {} : { expiresAt: expiryOf(set.quickUntil ?? read.quickUntil, now) }),
  }
  const removed = version === 0 ? fieldsToRemove(values) : staysDue ? [...remove, 'expiresAt'] : remove
  return {
    address: destinationAddress(destination),
    change: { set: { kind, ...destinationItem.attributes(values) }, remove: removed },
    condition: version === 0 ? absentOrExpired() : { equals: { version: { N: String(version) } } },
  }
}

/** The update that replaces a corrupt item by an open destination, due now, so that its waiting lanes are released. */
export const renewalOf = (after: Destination, { version }: Item): Update => ({
  address: destinationAddress(after.destination),
  change: { set: { kind, ...destinationItem.attributes(after) }, remove: fieldsToRemove(after) },
  condition: version === undefined ? { absent: ['version'] } : { equals: { version } },
})

/** The change of a destination whose waiting list is empty: it leaves the index `due`. */
export const LEAVE_INDEX: DestinationChange = {
  set: {},
  remove: [...DUE_FIELDS, 'rounds', 'released', 'closedAt', 'probeAt', 'suspicions'],
}
