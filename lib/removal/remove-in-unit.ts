/** Removes what belongs to a record (`belongsTo`) in one unit of work, where it is little. */
import { RECORDS } from '../records/kinds.ts'
import type { Owner } from '../records/owners.ts'
import type { TagQuery } from '../store/index-entries.ts'
import type { BelongsTo } from '../store/item.ts'
import { addressOf } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { wayFrom } from './ways.ts'

/** Removes the records of an owner, and its items of these definitions. */
export const removeOwnedInUnit = async (
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
      const query = wayFrom(belongsTo, owner.type, false)?.(owner)
      return query === undefined ? [] : [removeRecords(type, query as TagQuery)]
    }),
    ...definitions.flatMap(({ belongsTo }) => (wayFrom(belongsTo, owner.type, false)?.(owner) ?? []).map(removeItems)),
  ])
}
