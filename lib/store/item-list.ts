/** Lists in pages with cursors: as many items as requested, within the size limit of a response. */
import { AgentError } from '../errors.ts'
import { decodedBytes } from './item.ts'
import type { Item, PartitionPage } from './table.ts'

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`

/** A sort key in order of time: the time, then one or two parts that distinguish items of the same millisecond. */
const SORT_KEY = String.raw`${TIME}(?:#[\w.:~-]{1,128}){1,2}`

/** A position in a list. */
export const LIST_POSITION = new RegExp(`^${SORT_KEY}$`)

/** A position in a replay: its end time, and the sort key of its last event so far. */
export const REPLAY_POSITION = new RegExp(`^${TIME} ${SORT_KEY}$`)

export const encodeCursor = (position: string): string => Buffer.from(position).toString('base64url')

/**
 * The position in a cursor. It is not signed: the partition comes from the token and the path, so an altered position
 * only leads to another place in the same list. Throws `request.malformed` if the position does not match `shape`.
 */
export const decodeCursor = (cursor: string, shape: RegExp): string => {
  const position = Buffer.from(cursor, 'base64url').toString()
  if (encodeCursor(position) !== cursor || !shape.test(position))
    throw new AgentError('request.malformed', 'the cursor does not belong to this list')
  return position
}

/** Reads a page: of a partition (`queryPage`), or of several (`queryMerged`). */
type ReadPage = (range: { limit: number; descending: boolean; after: string | undefined }) => Promise<PartitionPage>

export interface ListQuery {
  /** Maximum number of entries, 1 to 1000. */
  limit: number
  /** `desc`: the newest first. */
  order: 'asc' | 'desc'
  cursor?: string | undefined
}

export interface ListView<T> {
  /** Converts an item for the response; undefined: leaves it out. */
  show: (item: Item) => T | undefined
  /**
   * Whether `show` may leave out most items: then pages are read until the limit is reached, else until any is shown.
   */
  filtered: boolean
  /** Completes items before they are shown. An item that it does not return is left out. */
  complete?: (items: Item[]) => Promise<Item[]>
  /** Form of the sort keys; by default in order of time. */
  position?: RegExp
}

export interface ListedPage<T> {
  entries: T[]
  /** Cursor of the next page; absent when there is no more. */
  next?: string
}

/** Limits of filtered lists: pages read for one response, and items of each page. */
const MAX_READS = 10
const FILTERED_PAGE_ITEMS = 100

/**
 * Bytes of decoded items. A page of the table has up to 1 MB of packed ones, which may be a thousand times as large;
 * Lambda's responses have at most 6 MB. No page is read after `ENOUGH_BYTES` are shown, and no item is decoded after
 * `MAX_READ_BYTES`, because a filter may leave out all of them.
 */
const ENOUGH_BYTES = 256 * 1024
const MAX_SHOWN_BYTES = 1024 * 1024
const MAX_READ_BYTES = 10 * 1024 * 1024

/** One request completes this many items. */
const MAX_COMPLETED_ITEMS = 100

/**
 * One page of a list. It may have fewer items than the limit and still have a next page, because it also ends at 1 MB.
 * Throws `request.malformed` for a cursor without a position of a list.
 */
export const listItems = async <T>(
  read: ReadPage,
  { limit, order, cursor }: ListQuery,
  { show, filtered, complete, position = LIST_POSITION }: ListView<T>,
): Promise<ListedPage<T>> => {
  const shown: { entry: T; position: string }[] = []
  let shownBytes = 0
  let readBytes = 0
  let after = cursor === undefined ? undefined : decodeCursor(cursor, position)
  const maxItems = complete === undefined ? Number.POSITIVE_INFINITY : MAX_COMPLETED_ITEMS
  const isFull = () => shown.length > limit || shownBytes >= ENOUGH_BYTES || readBytes >= MAX_READ_BYTES
  for (let reads = 0; reads < MAX_READS && !isFull(); reads++) {
    const page = await read({
      // One more than requested shows whether there is a next page. A filter may leave out most items.
      limit: Math.min(maxItems, Math.max(limit + 1 - shown.length, filtered ? FILTERED_PAGE_ITEMS : 0)),
      descending: order === 'desc',
      after,
    })
    after = page.next
    for (const item of complete === undefined ? page.items : await complete(page.items)) {
      const position = item.sk?.S ?? ''
      const entry = show(item)
      const bytes = decodedBytes(item)
      readBytes += bytes
      if (entry !== undefined) {
        shownBytes += bytes
        if (shownBytes > MAX_SHOWN_BYTES && shown.length > 0) {
          after = shown.at(-1)?.position
          break
        }
        shown.push({ entry, position })
      }
      if (readBytes >= MAX_READ_BYTES) {
        after = position
        break
      }
    }
    if (after === undefined || (!filtered && shown.length > 0)) break
  }
  const entries = shown.slice(0, limit).map(({ entry }) => entry)
  const next = shown.length > limit ? shown[limit - 1]?.position : after
  return next === undefined ? { entries } : { entries, next: encodeCursor(next) }
}
