/** Destinations in the table: what was read is remembered for some seconds, and what has happened is recorded. */

import { Bounded } from '../../bounded.ts'
import { dueFor } from '../../store/due.ts'
import { decodeIfSound } from '../../store/item.ts'
import type { Address } from '../../store/keys.ts'
import { addressOf, getItem, getItems, type Item } from '../../store/table.ts'
import { updateOrFind } from '../../store/write.ts'
import { logCorrupt, updateItem } from '../lanes/index.ts'
import { destinationAddress, originOf, wakeLater } from '../wake-ups/index.ts'
import { type Change, changed, type Destination, destinationItem, renewed, type Target } from './destination.ts'
import { awaitDestination, type DestinationActions, type DestinationEvent, report } from './destination-events.ts'

/**
 * What was read is used for some seconds. A lane that is going to wait reads it again; any other makes at most one more
 * attempt.
 */
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
 * Reads what this process has not read in the last seconds of a destination and its origin, and in the same request the
 * item at an address. Undefined if there is no such item, or if both were cached already: then there is no request.
 * Throws `store.unavailable`.
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

/**
 * A destination and its origin, as this process has read them in the last seconds, or else as they are in the table.
 * Throws `store.unavailable`.
 */
export const recentTarget = async (destination: string, now: number): Promise<Target> => {
  await readWithDestination(destination, now)
  const origin = await recentDestination(originOf(destination), now)
  return { origin, address: origin.destination === destination ? origin : await recentDestination(destination, now) }
}

/** Another invocation may be faster. */
const renew = async (destination: string, item: Item, now: number): Promise<Destination> => {
  const after = { destination, version: 1, rounds: 0, ...dueFor(destination, now) }
  if ((await updateItem(renewed(after, item))) === undefined) return readDestination(destination, now)
  logCorrupt({ destination, kind: destinationItem.kind })
  return after
}

/**
 * The destination as this process has read it in the last seconds, or else as it is in the table. Throws
 * `store.unavailable`.
 */
const recentDestination = async (destination: string, now: number): Promise<Destination> =>
  knownOf(destination, now)?.read ?? readDestination(destination, now)

/** Changes a destination on condition that it is still as it was read; undefined if it is not. */
export const changeDestination = async (
  read: Destination,
  change: Change,
  now: number,
): Promise<Destination | undefined> => {
  const item = await updateItem(changed(read, change, now))
  return item && remember(destinationItem.decode(item), now)
}

export const DESTINATION_ACTIONS: DestinationActions = {
  destination: readDestination,
  recentDestination,
  change: changeDestination,
  update: ({ address, change, condition }) => updateOrFind(address, change, condition),
  wakeLater,
}

/**
 * Records what has happened at a destination, and returns it as it is then. `now` in ms since the epoch. Throws
 * `store.unavailable`.
 */
export const reportToDestination = (destination: string, event: DestinationEvent, now: number): Promise<Destination> =>
  report(DESTINATION_ACTIONS, destination, event, now)

/**
 * Makes a destination due, unless it is in the index already, so that its waiting lanes are released. Throws
 * `store.conflict` if it cannot.
 */
export const ensureDue = (destination: string, now: number): Promise<void> =>
  awaitDestination(DESTINATION_ACTIONS, destination, now)
