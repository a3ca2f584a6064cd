/** Whether a record's tags match a query, by the rules of Credo's storages. */
import type { TagQuery } from './index-entries.ts'
import type { Tags, TagValue } from './stored-record.ts'

/**
 * Terms are joined by "and". A list in the query asks that the tag's list holds all of it; `null` that the tag is not set;
 * `undefined` asks nothing.
 */
export const matches = (tags: Tags, { $and = [], $or = [], $not, ...terms }: TagQuery): boolean =>
  Object.entries(terms).every(([tag, wanted]) => holds(tags[tag], wanted as TagValue)) &&
  $and.every((part) => matches(tags, part)) &&
  ($or.length === 0 || $or.some((part) => matches(tags, part))) &&
  !($not !== undefined && matches(tags, $not))

const holds = (value: TagValue, wanted: TagValue): boolean => {
  if (wanted === undefined) return true
  if (wanted === null) return value === undefined || value === null
  if (Array.isArray(wanted)) return Array.isArray(value) && wanted.every((one) => value.includes(one))
  return value === wanted
}
