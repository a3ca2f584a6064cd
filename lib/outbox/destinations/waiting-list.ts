/** The waiting list of a destination: the lanes that wait until it is open or has a free slot, in several partitions. */

import { defineItem, type Stored, tryDecode } from '../../store/item.ts'
import { integer, text } from '../../store/item-fields.ts'
import { type Address, shardOf } from '../../store/keys.ts'
import { addressOf as addressInTable, type Item, queryPage } from '../../store/table.ts'
import { removeIf, type TableWrite } from '../../store/write.ts'
import { ensureLaneDue, logCorrupt } from '../lanes/index.ts'
import { eventLaneOf, messageLaneOf, waitingAddress, waitingPartition } from '../wake-ups/index.ts'

/** Number of partitions of a list: when a destination is closed, many lanes are added at the same time. */
const SHARDS = 16

/** Digits of a time in ms since the epoch, for sort keys. */
const DIGITS = 15

const sortable = (time: number): string => String(time).padStart(DIGITS, '0')

/**
 * The name of a lane's new entry: its shard, then the time when its first item is given up (ms since the epoch), so
 * that lanes with an expired item are first in the shard. `id` is unique, so that a wake-up for an earlier entry of the
 * lane does nothing.
 */
export const newEntry = (lane: string, giveUpAt: number, id: string): string =>
  `${shardOf(lane, SHARDS)}|${sortable(giveUpAt)}|${id}`

const addressOf = ({ destination, entry }: { destination: string; entry: string }): Address => {
  const [shard = '', ...position] = entry.split('|')
  return waitingAddress(destination, Number(shard), position.join('|'))
}

const waitingItem = defineItem(
  'waiting-lane',
  addressOf,
  {
    lane: text(),
    entry: text(),
    /** Ms since the epoch. */
    since: integer(),
  },
  'expiry',
)

/** Adds a lane to the list. */
export const entryWrite = (
  destination: string,
  { lane, entry, now }: { lane: string; entry: string; now: number },
): { put: Item } => ({ put: waitingItem.encode({ destination, lane, entry, since: now }) })

/** Removes an entry from the list, as part of a transaction. */
export const entryRemoval = (destination: string, entry: string): TableWrite => ({
  remove: addressOf({ destination, entry }),
})

export const removeEntry = (destination: string, entry: string): Promise<boolean> =>
  removeIf(addressOf({ destination, entry }))

export type Entry = Stored<typeof waitingItem>

const itemsIn = async (destination: string, shard: number, limit: number, until?: number): Promise<Item[]> => {
  const to = until === undefined ? undefined : sortable(until)
  return (await queryPage(waitingPartition(destination, shard), { limit, to })).items
}

const entriesIn = async (destination: string, shard: number, limit: number, until?: number): Promise<Entry[]> => {
  const items = await itemsIn(destination, shard, limit, until)
  const entries = items.map((item) => tryDecode(waitingItem, item))
  const corrupt = items.filter((_, index) => entries[index] === undefined)
  for (const item of corrupt) await dropCorrupt(destination, item)
  return entries.filter((entry) => entry !== undefined)
}

/** Removes an unreadable entry. If it names a lane, the lane is made due instead. */
const dropCorrupt = async (destination: string, item: Item): Promise<void> => {
  const now = Date.now()
  const lane = item.lane?.S ?? ''
  if (messageLaneOf(lane) !== undefined || eventLaneOf(lane) !== undefined) await ensureLaneDue(lane, now)
  if (await removeIf(addressInTable(item), { present: ['pk'] })) logCorrupt({ destination, kind: waitingItem.kind })
}

/** All shards, starting at one that `random` in [0, 1) chooses. */
const shardsFrom = (random: number): number[] =>
  Array.from({ length: SHARDS }, (_, index) => (Math.floor(random * SHARDS) + index) % SHARDS)

/**
 * About `limit` entries at most, evenly from all shards; with `until` only those whose first item is given up by then
 * (ms since the epoch).
 */
export const someEntries = async (destination: string, limit: number, until?: number): Promise<Entry[]> => {
  const share = Math.ceil(limit / SHARDS)
  const found = await Promise.all(shardsFrom(0).map((shard) => entriesIn(destination, shard, share, until)))
  return found.flat()
}

/** At most `limit` entries, from as few shards as possible, starting at a random one. */
export const entriesOfRandomShard = async (destination: string, limit: number, random: number): Promise<Entry[]> => {
  const found: Entry[] = []
  for (const shard of shardsFrom(random)) {
    if (found.length >= limit) break
    found.push(...(await entriesIn(destination, shard, limit - found.length)))
  }
  return found
}

/**
 * Maximum number of counted entries of each shard. If a shard has more, up to the second number are counted in one
 * shard, and the others are estimated to have the same: lanes are spread evenly.
 */
const MAX_COUNTED = 32
const MAX_COUNTED_OF_ONE = 1_000

/**
 * The number of lanes that wait for a destination (an estimate if there are many), and the time since which the oldest
 * waits (ms since the epoch). Corrupt entries are counted and not removed: the sweep has no permission to write them.
 */
export const countWaitingLanes = async (destination: string): Promise<{ lanes: number; since: number | undefined }> => {
  const found = await Promise.all(shardsFrom(0).map((shard) => itemsIn(destination, shard, MAX_COUNTED)))
  const full = found.findIndex(({ length }) => length === MAX_COUNTED)
  const ofFull = full === -1 ? 0 : (await itemsIn(destination, full, MAX_COUNTED_OF_ONE)).length
  const times = found.flat().flatMap((item) => tryDecode(waitingItem, item)?.since ?? [])
  return {
    lanes: found.reduce((sum, { length }) => sum + (length < MAX_COUNTED ? length : ofFull), 0),
    since: times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b)),
  }
}
