/** Reads and updates the items of destinations, with a cache of some seconds. */

import { Bounded } from '../../bounded.ts'
import { dueFor } from '../../store/due.ts'
import { tryDecode } from '../../store/item.ts'
import type { Address } from '../../store/keys.ts'
import { addressOf, getItem, getItems, type Item } from '../../store/table.ts'
import { updateOrFind } from '../../store/write.ts'
import { logCorrupt, updateItem } from '../lanes/index.ts'
import { destinationAddress, originOf, wakeLater } from '../wake-ups/index.ts'
import {
  type Destination,
  type DestinationChange,
  destinationItem,
  renewalOf,
  type Target,
  updateOf,
} from './destination.ts'
import { type DestinationActions, type DestinationEvent, ensureDestinationDue, report } from './destination-events.ts'

/** Time in ms. With an outdated state a lane makes at most one attempt too many; before it waits, it reads the table. */
const CACHE_MS = 3_000
const cache = new Bounded<string, { read: Destination; until: number }>(4_000)

const cacheDestination = (read: Destination, now: number): Destination => {
  cache.set(read.destination, { read, until: now + CACHE_MS })
  return read
}

const cachedDestination = (destination: string, now: number): { read: Destination } | undefined => {
  const recent = cache.get(destination)
  return recent !== undefined && now < recent.until ? recent : undefined
}

/** Reads a destination from the table. `now` in ms since the epoch. Throws `store.unavailable`. */
export const readDestination = async (destination: string, now: number): Promise<Destination> =>
  decodeOrRenew(destination, await getItem(destinationAddress(destination)), now)

const decodeOrRenew = async (destination: string, item: Item | undefined, now: number): Promise<Destination> => {
  if (item === undefined) return cacheDestination({ destination, version: 0 }, now)
  return cacheDestination(tryDecode(destinationItem, item) ?? (await renew(destination, item, now)), now)
}

/**
 * Reads a destination and its origin unless they are in the cache, and in the same request the item at an address.
 * Undefined if there is no such item, or if both are in the cache: then there is no request. Throws
 * `store.unavailable`.
 */
export const readWithDestination = async (
  destination: string,
  now: number,
  address?: Address,
): Promise<Item | undefined> => {
  const uncached = [...new Set([originOf(destination), destination])].filter((name) => !cachedDestination(name, now))
  if (uncached.length === 0) return undefined
  const items = await getItems([...(address === undefined ? [] : [address]), ...uncached.map(destinationAddress)])
  const found = new Map(items.map((item) => [addressOf(item).pk, item]))
  for (const name of uncached) await decodeOrRenew(name, found.get(destinationAddress(name).pk), now)
  return found.get(address?.pk ?? '')
}

/** A destination and its origin, from the cache or the table. Throws `store.unavailable`. */
export const recentTarget = async (destination: string, now: number): Promise<Target> => {
  await readWithDestination(destination, now)
  const origin = await recentDestination(originOf(destination), now)
  return { origin, address: origin.destination === destination ? origin : await recentDestination(destination, now) }
}

/** Replaces a corrupt item, unless another invocation already has. */
const renew = async (destination: string, item: Item, now: number): Promise<Destination> => {
  const after = { destination, version: 1, rounds: 0, ...dueFor(destination, now) }
  if ((await updateItem(renewalOf(after, item))) === undefined) return readDestination(destination, now)
  logCorrupt({ destination, kind: destinationItem.kind })
  return after
}

/** The destination from the cache or the table. Throws `store.unavailable`. */
const recentDestination = async (destination: string, now: number): Promise<Destination> =>
  cachedDestination(destination, now)?.read ?? readDestination(destination, now)

/** Changes a destination; undefined if it has changed since it was read. */
export const changeDestination = async (
  read: Destination,
  change: DestinationChange,
  now: number,
): Promise<Destination | undefined> => {
  const item = await updateItem(updateOf(read, change, now))
  return item && cacheDestination(destinationItem.decode(item), now)
}

export const DESTINATION_ACTIONS: DestinationActions = {
  destination: readDestination,
  recentDestination,
  change: changeDestination,
  update: ({ address, change, condition }) => updateOrFind(address, change, condition),
  wakeLater,
}

/**
 * Records an event of a destination, and returns its new state. `now` in ms since the epoch. Throws
 * `store.unavailable`.
 */
export const reportToDestination = (destination: string, event: DestinationEvent, now: number): Promise<Destination> =>
  report(DESTINATION_ACTIONS, destination, event, now)

/**
 * Makes a destination due, unless it is in the index `due` already, so that its waiting lanes are released. Throws
 * `store.conflict`.
 */
export const ensureDue = (destination: string, now: number): Promise<void> =>
  ensureDestinationDue(DESTINATION_ACTIONS, destination, now)
