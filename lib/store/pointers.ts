/** Pointers: items that map an id to a record, for reads that do not know the record's tenant. */
import { recordsOf } from '../records/kinds.ts'
import { defineItem } from './item.ts'
import { integer, optional, text } from './item-fields.ts'
import { address, digest } from './keys.ts'
import type { StoredRecord } from './stored-record.ts'
import type { Item } from './table.ts'

/** The description of pointers of a kind, which the description of a record names (`pointer` in define-record.ts). */
export const pointerItem = (kind: string) =>
  defineItem(
    kind,
    ({ id }: { id: string }) => address(`@${kind}|${digest(id)}`),
    {
      tenant: text(),
      /** Absent after the record was deleted. */
      recordId: optional(text()),
      /** Epoch seconds. Set when the record is deleted. */
      expiresAt: optional(integer()),
    },
    'parts',
  )

/** The pointer to a record, which may be deleted (`deletedAt` in epoch seconds); undefined if the record has none. */
export const pointerTo = (
  { tenant, type, id: recordId, value }: Pick<StoredRecord, 'tenant' | 'type' | 'id' | 'value'>,
  deletedAt?: number,
): Item | undefined => {
  const { pointer } = recordsOf(type) ?? {}
  const id = pointer?.idOf(value)
  if (pointer === undefined || id === undefined) return undefined
  const content = deletedAt === undefined ? { recordId } : { expiresAt: deletedAt + pointer.retentionSeconds }
  return pointerItem(pointer.kind).encode({ id, tenant, ...content })
}
