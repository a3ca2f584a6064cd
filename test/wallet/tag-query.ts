/** Credo's query language over tags, written from its interface and apart from the store's own matching. */
import type { TagsBase } from '@credo-ts/core'

type TagValue = TagsBase[string]

/** A query as Credo passes it on, without the generics of its type: conditions over other queries, and tags. */
export interface TagQuery {
  $and?: TagQuery[]
  $or?: TagQuery[]
  $not?: TagQuery
}

/** Whether tags satisfy a query. Everything that a query names must hold. */
export const matches = (tags: TagsBase, { $and = [], $or, $not, ...wanted }: TagQuery): boolean =>
  Object.entries<TagValue>(wanted).every(([name, value]) => holds(tags[name], value)) &&
  $and.every((query) => matches(tags, query)) &&
  ($or === undefined || $or.some((query) => matches(tags, query))) &&
  ($not === undefined || !matches(tags, $not))

/** `undefined` matches everything, `null` an absent tag, a list a list that contains all of it. */
const holds = (tag: TagValue, wanted: TagValue): boolean => {
  if (wanted === undefined) return true
  if (wanted === null) return tag === undefined || tag === null
  return Array.isArray(wanted) ? Array.isArray(tag) && wanted.every((value) => tag.includes(value)) : tag === wanted
}
