/** Query of a list: how many, from where, in which order. */
import * as v from 'valibot'

export const MAX_PAGE = 1000

/** `limit` items a page; a page also ends at 1 MB. */
export const Limit = v.pipe(
  v.string(),
  v.regex(/^[0-9]{1,4}$/, 'must be a whole number'),
  v.transform(Number),
  v.number(),
  v.minValue(1, 'must be 1 to 1000'),
  v.maxValue(MAX_PAGE, 'must be 1 to 1000'),
)

/** Opaque: what the `Link` header of the page before held. */
export const Cursor = v.pipe(v.string(), v.regex(/^[A-Za-z0-9._~-]{1,4096}$/, 'is not a cursor of this service'))

/** By `createdAt`, then id. */
export const Order = v.picklist(['asc', 'desc'])

export const Paging = v.object({
  limit: v.optional(Limit, String(MAX_PAGE)),
  cursor: v.optional(Cursor),
  order: v.optional(Order, 'asc'),
})

export type Paging = v.InferOutput<typeof Paging>
