/** Reads a list whose items are spread over several partitions, because one accepts 1,000 writes a second. */
import { itemBytes } from './item.ts'
import { type Item, type PartitionPage, queryPage } from './table.ts'

interface MergedRead {
  /** Maximum number of items. */
  limit: number
  /** The sort key to continue after. */
  after?: string | undefined
  descending?: boolean
}

/** A merged page has the size limit of a page of one partition, on which callers rely. */
const MAX_BYTES = 1024 * 1024

/** Items of a partition that were read but not yet returned, and the sort key after which its next read starts. */
interface Source {
  pk: string
  items: Item[]
  after: string | undefined
  ended: boolean
}

const sortKey = (item: Item | undefined): string => item?.sk?.S ?? ''

/** One page of all partitions in the order of the sort keys. Throws `store.unavailable`. */
export const queryMerged = async (
  partitions: readonly string[],
  { limit, after, descending = false }: MergedRead,
): Promise<PartitionPage> => {
  // An even share plus a margin, so that few partitions need a second page.
  const share = Math.min(limit, Math.ceil((limit / partitions.length) * 1.5) + 5)
  const sources = partitions.map((pk): Source => ({ pk, items: [], after, ended: false }))
  const fill = async (source: Source): Promise<void> => {
    while (source.items.length === 0 && !source.ended) {
      const { items, next } = await queryPage(source.pk, { limit: share, descending, after: source.after })
      Object.assign(source, { items, after: next, ended: next === undefined })
    }
  }
  const precedes = (a: Source, b: Source): boolean => {
    const [keyA, keyB] = [sortKey(a.items[0]), sortKey(b.items[0])]
    return descending ? keyA > keyB : keyA < keyB
  }

  const page: Item[] = []
  for (let bytes = 0; ; ) {
    await Promise.all(sources.map(fill))
    const filled = sources.filter(({ items }) => items.length > 0)
    const first = filled.reduce<Source | undefined>(
      (found, source) => (found === undefined || precedes(source, found) ? source : found),
      undefined,
    )
    const [item] = first?.items ?? []
    if (first === undefined || item === undefined) return { items: page }
    bytes += itemBytes(item)
    if (page.length === limit || bytes > MAX_BYTES) return { items: page, next: sortKey(page.at(-1)) }
    page.push(item)
    first.items.shift()
  }
}
