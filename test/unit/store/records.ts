/** Records for the tests of the store: made up where only their shape matters. */
import { randomUUID } from 'node:crypto'
import type { NewRecord, StoredRecord } from '../../../lib/store/stored-record.ts'

export const ACME = 'acme'

let age = 0

/** A connection of Acme's; each is a millisecond younger than the one before. */
export const newRecord = (changes: Partial<NewRecord> = {}): NewRecord => {
  const id = changes.id ?? randomUUID()
  age += 1
  return {
    tenant: ACME,
    type: 'ConnectionRecord',
    id,
    tags: {},
    ...changes,
    value: { id, createdAt: new Date(Date.UTC(2026, 0, 1) + age).toISOString(), ...changes.value },
  }
}

/** A record as it lies in the table after its first write. */
export const storedRecord = (changes: Partial<StoredRecord> = {}): StoredRecord => ({
  version: 1,
  ...newRecord(changes),
})
