/** Removes what belongs to a record (`belongsTo`) in one unit of work, where it is little. */
import { RECORDS } from '../records/kinds.ts'
import type { Owner } from '../records/owners.ts'
import type { TagQuery } from '../store/index-entries.ts'
import type { BelongsTo } from '../store/item.ts'
import { addressOf } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

type Ways<Way> = Readonly<Record<string, (owner: Owner) => Way>>

/** The way to what belongs to the owner; undefined if nothing does, or others may use it. */
const wayFrom = <Way>(owner: Owner, belongsTo: Ways<Way> | { shared: Ways<Way> } | string): Way | undefined =>
  typeof belongsTo === 'string' || 'shared' in belongsTo ? undefined : (belongsTo as Ways<Way>)[owner.type]?.(owner)

/** Removes the records of an owner, and its items of these definitions. */
export const removeOwned = async (
  unit: UnitOfWork,
  owner: Owner,
  definitions: readonly { belongsTo: BelongsTo }[],
): Promise<void> => {
  const removeRecords = async (type: string, query: TagQuery) => {
    for (const { id } of await unit.find(owner.tenant, type, query)) await unit.remove(owner.tenant, type, id)
  }
  const removeItems = async (partition: string) => {
    for (const item of await unit.queryAll(partition)) unit.delete(addressOf(item))
  }
  await Promise.all([
    ...RECORDS.flatMap(({ type, belongsTo }) => {
      const query = wayFrom(owner, belongsTo)
      return query === undefined ? [] : [removeRecords(type, query as TagQuery)]
    }),
    ...definitions.flatMap(({ belongsTo }) => (wayFrom(owner, belongsTo) ?? []).map(removeItems)),
  ])
}
