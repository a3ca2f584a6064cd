/** The sparse index `due`: finds lanes, destinations and jobs by the time when they are due. */
import { integer, optional, text } from './item-fields.ts'
import { shardOf } from './keys.ts'
import { type Item, queryDue } from './table.ts'

/** DynamoDB accepts 1,000 writes a second for one key of an index, so the entries are spread over as many keys. */
const SHARDS = 16

export const DUE_SHARDS = Array.from({ length: SHARDS }, (_, shard) => `due|${shard}`)

/** Fields of items that may be in the index. `dueAt`: ms since the epoch. */
export const dueFields = { dueShard: optional(text()), dueAt: optional(integer()) }

/** Names of these fields: without them an item leaves the index. */
export const DUE_FIELDS = ['dueShard', 'dueAt'] as const

/** The attributes that put the item of `id` into the index. */
export const dueFor = (id: string, at: number): { dueShard: string; dueAt: number } => ({
  dueShard: `due|${shardOf(id, SHARDS)}`,
  dueAt: at,
})

export interface DueEntry {
  kind: (typeof KINDS)[number]
  /** Of a lane or destination; for a job the partition key of its item. */
  name: string
  at: number
  /** Only of a lane: when the first attempt at its first item failed, in ms since the epoch. */
  since?: number
}

const KINDS = ['lane', 'destination', 'job'] as const

/** The entries of a shard that are due at `until`, the oldest first, page by page. */
export async function* dueEntries(shard: string, until: number): AsyncGenerator<DueEntry[]> {
  let after: Item | undefined
  do {
    const { items, next } = await queryDue(shard, until, { limit: 500, after })
    yield items.flatMap(toEntry)
    after = next
  } while (after !== undefined)
}

/** None for any other item with the attributes of the index. */
const toEntry = (item: Item): DueEntry[] => {
  const kind = KINDS.find((known) => known === item.kind?.S)
  const name = kind && item[kind === 'job' ? 'pk' : kind]?.S
  if (kind === undefined || name === undefined) return []
  return [{ kind, name, at: Number(item.dueAt?.N), ...(item.epoch?.N && { since: Number(item.epoch.N) }) }]
}
