/** The sparse index `due`: finds lanes, destinations and jobs by the time for which they wait. No others are in it. */
import { integer, optional, text } from '../store/item-fields.ts'
import { shardOf } from '../store/keys.ts'
import { type Item, queryIndex } from '../store/table.ts'

/** Shards, so that no key of the index takes more than a sixteenth of the writes; DynamoDB takes 1,000 a second for one key. */
const SHARDS = 16

export const DUE_SHARDS = Array.from({ length: SHARDS }, (_, shard) => `due|${shard}`)

/** Fields of an item that may be in the index. `dueAt`: ms since the epoch. */
export const dueFields = { dueShard: optional(text()), dueAt: optional(integer()) }

/** Names of these fields: without them an item leaves the index. */
export const DUE_FIELDS = ['dueShard', 'dueAt'] as const

/** The attributes that put the item of `id` into the index. */
export const dueFor = (id: string, at: number): { dueShard: string; dueAt: number } => ({
  dueShard: `due|${shardOf(id, SHARDS)}`,
  dueAt: at,
})

export interface DueEntry {
  /** Exactly one of the three is present. */
  lane?: string
  destination?: string
  /** Partition key of a job's item: an index always has the table's keys, so a job needs no attribute of its own in the projection. */
  job?: string
  at: number
  /** Only of a lane: when the first attempt at its first item failed. */
  since?: number
}

/** The entries of a shard that are due at `until`, the oldest first, page by page. */
export async function* dueEntries(shard: string, until: number): AsyncGenerator<DueEntry[]> {
  let after: Item | undefined
  do {
    const { items, next } = await queryIndex('due', shard, until, { limit: 500, after })
    yield items.flatMap(toEntry)
    after = next
  } while (after !== undefined)
}

/** Leaves out any other item with the attributes of the index. */
const toEntry = ({ pk, kind, lane, destination, dueAt, epoch }: Item): DueEntry[] => {
  const at = Number(dueAt?.N)
  if (kind?.S === 'job') return [{ job: pk?.S ?? '', at }]
  if (lane?.S === undefined && destination?.S === undefined) return []
  return [
    {
      ...(lane?.S && { lane: lane.S }),
      ...(destination?.S && { destination: destination.S }),
      at,
      ...(epoch?.N && { since: Number(epoch.N) }),
    },
  ]
}
