/** What remains of a deleted record until its event is written, without its content. */
import { defineItem } from './item.ts'
import { integer, isoTime, keyPart, text } from './item-fields.ts'
import { address, recordAddress } from './keys.ts'
import { epochSeconds } from './table.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** Longer than the stream holds a change (24 hours). */
const RETENTION_SECONDS = 2 * 24 * 60 * 60

interface RecordKey {
  tenant: string
  type: string
  id: string
}

/** In the partition of the record, so that the stream has it after the record's changes. */
export const deletedRecordItem = defineItem(
  'deleted-record',
  ({ tenant, type, id }: RecordKey) => address(recordAddress(tenant, type, id).pk, 'deleted'),
  {
    tenant: keyPart('pk', '|', 0),
    type: keyPart('pk', '|', 1),
    id: keyPart('pk', '|', 2),
    /** Its last state. */
    state: text(),
    /** Greater than the version of its last change. */
    version: integer(),
    at: isoTime(),
    expiresAt: integer(),
  },
  'expiry',
)

/** Writes it in the deleting unit. */
export const markDeleted = (unit: UnitOfWork, deleted: RecordKey & { state: string; version: number }): void => {
  const now = Date.now()
  const expiresAt = epochSeconds(now) + RETENTION_SECONDS
  unit.create(deletedRecordItem.encode({ ...deleted, at: new Date(now).toISOString(), expiresAt }))
}
