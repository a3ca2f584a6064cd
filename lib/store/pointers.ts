/** Pointers: items by which a record is found by an id alone, for readers who do not know its tenant. */
import { recordsOf } from '../records/kinds.ts'
import { defineItem } from './item.ts'
import { integer, optional, text } from './item-fields.ts'
import { address, digest } from './keys.ts'
import type { StoredRecord } from './stored-record.ts'
import type { Item } from './table.ts'

/** Of a kind that the description of a record names (`pointer` in lib/records/define-record.ts). */
export const pointerItem = (kind: string) =>
  defineItem(kind, ({ id }: { id: string }) => address(`@${kind}|${digest(id)}`), {
    tenant: text(),
    /** Absent after the record was deleted. */
    recordId: optional(text()),
    /** Epoch seconds. Only of a deleted record. */
    expiresAt: optional(integer()),
  })

/**
 * The pointer to a record, or what replaces it when the record is deleted (`deletedAt` in epoch seconds); undefined if
 * the record has none.
 */
export const pointerTo = (
  { tenant, type, id: recordId, value }: Pick<StoredRecord, 'tenant' | 'type' | 'id' | 'value'>,
  deletedAt?: number,
): Item | undefined => {
  const { pointer } = recordsOf(type) ?? {}
  const id = pointer?.idOf(value)
  if (pointer === undefined || id === undefined) return undefined
  const content = deletedAt === undefined ? { recordId } : { expiresAt: deletedAt + pointer.remembered }
  return pointerItem(pointer.kind).encode({ id, tenant, ...content })
}
