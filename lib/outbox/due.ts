/** The index of what is due: lanes and destinations that wait for a time, found by it. Sparse: only what waits is in it. */
import { createHash } from 'node:crypto'
import { integer, optional, text } from '../store/item-fields.ts'
import { type Item, queryIndex } from '../store/table.ts'

/** Shards, so that no key of the index takes more than a sixteenth of the writes; DynamoDB takes 1,000 a second for one key. */
const SHARDS = 16

const shardOf = (id: string): string => `due|${(createHash('sha256').update(id).digest()[0] ?? 0) % SHARDS}`

export const DUE_SHARDS = Array.from({ length: SHARDS }, (_, shard) => `due|${shard}`)

/** Fields of an item that may be in the index. `dueAt`: ms since the epoch. */
export const dueFields = { dueShard: optional(text()), dueAt: optional(integer()) }

/** Names of these fields: without them an item leaves the index. */
export const DUE_FIELDS = ['dueShard', 'dueAt'] as const

/** What puts the item of `id` into the index. */
export const dueFor = (id: string, at: number): { dueShard: string; dueAt: number } => ({
  dueShard: shardOf(id),
  dueAt: at,
})

export interface DueEntry {
  /** Exactly one of the two is there. */
  lane?: string
  destination?: string
  at: number
  /** Of a lane: when the first attempt at its first item failed. */
  since?: number
}

/** The entries of a shard that are due at `until`, the oldest first, page by page. */
export async function* dueEntries(shard: string, until: number): AsyncGenerator<DueEntry[]> {
  let after: Item | undefined
  do {
    const { items, next } = await queryIndex('due', shard, until, { limit: 500, after })
    yield items.flatMap(({ lane, destination, dueAt, epoch }): DueEntry[] =>
      lane?.S === undefined && destination?.S === undefined
        ? []
        : [
            {
              ...(lane?.S && { lane: lane.S }),
              ...(destination?.S && { destination: destination.S }),
              at: Number(dueAt?.N),
              ...(epoch?.N && { since: Number(epoch.N) }),
            },
          ],
    )
    after = next
  } while (after !== undefined)
}
