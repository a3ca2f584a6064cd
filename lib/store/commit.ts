/** Commits the writes of a unit of work: in a transaction, or as one write if there is only one. */

import { AgentError } from '../errors.ts'
import { recordsOf } from '../records/kinds.ts'
import { conflictError } from './aws-errors.ts'
import type { Condition, ItemChange } from './conditions.ts'
import { indexEntries } from './index-entries.ts'
import type { Address } from './keys.ts'
import { pointerTo } from './pointers.ts'
import { addressOfRecord, hasContent, type NewRecord, type StoredRecord, toRecordItem } from './stored-record.ts'
import { type AttributeValue, addressOf, epochSeconds, type Item } from './table.ts'
import { absentOrExpired, putSingle, type TableWrite, type TransactionResult, transact } from './write.ts'

/** A put (`item`) or a delete (`remove`), the expected state of the item, and the error for any other state. */
type Replacement = ({ item: Item } | { remove: Address }) & {
  /** A record's version, attributes that the item has, no live item, or any state. */
  expects: number | Item | 'nothing' | 'anything'
  onFailedCondition?: () => unknown
}

/** A change of some attributes of an item that was not read. */
interface Update {
  update: Address
  change: ItemChange
  condition: Condition | undefined
  orSkip?: boolean
  onFailedCondition?: () => unknown
}

export type Write = Replacement | Update

/** Writes all or nothing. A failed condition is a more specific error than a conflict, so it is thrown first. */
export const commitWrites = async (writes: Write[]): Promise<void> => {
  const result = await sendWrites(writes)
  if (result.written) return
  const [first] = result.failed
  throw first === undefined ? conflictError(result.cause) : (writes[first]?.onFailedCondition ?? recordConflict)()
}

/**
 * Sends a single put without a transaction if its condition no longer holds once the item is written. The others need
 * one, whose token makes retries safe: a retried put would be applied twice, a retried deletion finds no item to
 * compare.
 */
const sendWrites = (writes: Write[]): Promise<TransactionResult> => {
  const [write] = writes
  if (writes.length > 1 || write === undefined || !('item' in write)) return transact(writes.map(toTableWrite))
  const condition = conditionOf(write.expects)
  const differs = ([name, read]: [string, AttributeValue]) => JSON.stringify(write.item[name]) !== JSON.stringify(read)
  const failsOnRetry = write.expects === 'nothing' || Object.entries(condition.equals ?? {}).some(differs)
  return failsOnRetry ? putSingle(write.item, condition) : transact([toTableWrite(write)])
}

const toTableWrite = (write: Write): TableWrite => {
  if ('update' in write) return write
  const condition = conditionOf(write.expects)
  return 'item' in write ? { put: write.item, condition } : { remove: write.remove, condition }
}

const conditionOf = (expects: Replacement['expects']): Condition => {
  if (expects === 'anything') return {}
  if (expects === 'nothing') return absentOrExpired()
  return { equals: typeof expects === 'number' ? { version: { N: String(expects) } } : expects }
}

/** A record in the unit of work: as read (undefined: not stored yet) and as it should be (undefined: deleted). */
export interface TrackedRecord {
  stored: StoredRecord | undefined
  current: StoredRecord | undefined
}

/** The next version of a record in the unit of work. */
export const nextVersion = (record: NewRecord, { stored, current }: TrackedRecord): StoredRecord => {
  const expiresAt = recordsOf(record.type)?.expiry?.(record, current?.expiresAt)
  const { delivery = current?.delivery } = record
  return {
    ...record,
    version: (stored?.version ?? 0) + 1,
    ...(delivery !== undefined && { delivery }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

export const recordConflict = (): AgentError => new AgentError('store.conflict', 'the record changed at the same time')

/**
 * Writes the pointer of a new record, or replaces it after a deletion. The first record with an id owns its pointer.
 */
const pointerWrites = ({ stored, current }: TrackedRecord): Write[] => {
  const [record, expects] = stored === undefined ? [current, 'nothing' as const] : [stored, 'anything' as const]
  if (record === undefined || (stored !== undefined && current !== undefined)) return []
  const item = pointerTo(record, current === undefined ? epochSeconds() : undefined)
  return item === undefined ? [] : [{ item, expects }]
}

/** The writes of the record's own item, which another value of its `partitionTag` moves to another partition. */
const itemWrites = ({ stored, current }: TrackedRecord): Write[] => {
  const [from, to] = [stored, current].map((record) => record && addressOfRecord(record))
  const isSameAddress = from?.pk === to?.pk && from?.sk === to?.sk
  return [
    ...(current === undefined
      ? []
      : [
          {
            item: toRecordItem(current),
            expects: isSameAddress && stored !== undefined ? stored.version : 'nothing',
          } as const,
        ]),
    ...(stored === undefined || from === undefined || isSameAddress ? [] : [{ remove: from, expects: stored.version }]),
  ]
}

/** The writes that replace the stored record and its index entries by the current ones. */
export const recordWrites = ({ stored, current }: TrackedRecord): Write[] => {
  if (stored === current) return []
  const writes = [...itemWrites({ stored, current }), ...pointerWrites({ stored, current })]
  const before = stored === undefined ? new Map<string, Item>() : indexEntries(stored, { bare: true })
  const after = current === undefined ? new Map<string, Item>() : indexEntries(current)
  // A copy contains the version of its record, which each write changes.
  for (const [pk, item] of after)
    if (hasContent(item) || JSON.stringify(before.get(pk)) !== JSON.stringify(item))
      writes.push({ item, expects: 'anything' })
  for (const [pk, item] of before)
    if (after.get(pk)?.sk?.S !== item.sk?.S) writes.push({ remove: addressOf(item), expects: 'anything' })
  return writes
}
