/**
 * Commits the changes of a unit of work in one transaction, or in one write if that is all: the writes of its records,
 * and the error where one of them was refused.
 */

import { AgentError } from '../errors.ts'
import { recordsOf } from '../records/kinds.ts'
import type { Change, Condition } from './conditions.ts'
import { conflicting } from './faults.ts'
import { indexEntries } from './index-entries.ts'
import type { Address } from './keys.ts'
import { pointerTo } from './pointers.ts'
import { addressOfRecord, hasContent, type NewRecord, type StoredRecord, toRecordItem } from './stored-record.ts'
import { type AttributeValue, addressOf, epochSeconds, type Item } from './table.ts'
import { absentOrExpired, putAlone, type TableWrite, type Transacted, transact } from './write.ts'

/** A put (`item`) or a delete (`remove`), the expected state of the item, and the error for any other state. */
type Replacement = ({ item: Item } | { remove: Address }) & {
  /** A record's version, attributes that the item has, no live item, or any state. */
  expects: number | Item | 'nothing' | 'anything'
  onFailedCondition?: () => unknown
}

/** A change of some attributes of an item that was not read. */
interface Update {
  update: Address
  change: Change
  condition: Condition | undefined
  orSkip?: boolean
  onFailedCondition?: () => unknown
}

export type Write = Replacement | Update

/** Writes all or nothing. A failed expectation is a more specific error than a conflict, so it is reported first. */
export const commitWrites = async (writes: Write[]): Promise<void> => {
  const result = await send(writes)
  if (result.written) return
  const [first] = result.failed
  throw first === undefined ? conflicting(result.cause) : (writes[first]?.onFailedCondition ?? conflict)()
}

/**
 * A put that is alone is one conditional write, if its condition no longer holds afterwards. A deletion leaves no item
 * that could tell whose it was, and a write whose condition still holds would be applied twice: they stay transactions.
 */
const send = (writes: Write[]): Promise<Transacted> => {
  const [write] = writes
  if (writes.length > 1 || write === undefined || !('item' in write)) return transact(writes.map(toTableWrite))
  const condition = conditionOf(write.expects)
  const differs = ([name, read]: [string, AttributeValue]) => JSON.stringify(write.item[name]) !== JSON.stringify(read)
  const holdsOnce = write.expects === 'nothing' || Object.entries(condition.equals ?? {}).some(differs)
  return holdsOnce ? putAlone(write.item, condition) : transact([toTableWrite(write)])
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
export const versionOf = (record: NewRecord, { stored, current }: TrackedRecord): StoredRecord => {
  const expiresAt = recordsOf(record.type)?.expiry?.(record, current?.expiresAt)
  const { delivery = current?.delivery } = record
  return {
    ...record,
    version: (stored?.version ?? 0) + 1,
    ...(delivery !== undefined && { delivery }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

export const conflict = (): AgentError => new AgentError('store.conflict', 'the record changed at the same time')

/** The write of a new record's pointer, or of what stays of it after the deletion. The first record owns the id. */
const pointerWrites = ({ stored, current }: TrackedRecord): Write[] => {
  const [record, expects] = stored === undefined ? [current, 'nothing' as const] : [stored, 'anything' as const]
  if (record === undefined || (stored !== undefined && current !== undefined)) return []
  const item = pointerTo(record, current === undefined ? epochSeconds() : undefined)
  return item === undefined ? [] : [{ item, expects }]
}

/** The writes of the record's own item, which a change of the tag that it lies within moves. */
const itemWrites = ({ stored, current }: TrackedRecord): Write[] => {
  const [from, to] = [stored, current].map((record) => record && addressOfRecord(record))
  const stays = from?.pk === to?.pk && from?.sk === to?.sk
  return [
    ...(current === undefined
      ? []
      : [
          { item: toRecordItem(current), expects: stays && stored !== undefined ? stored.version : 'nothing' } as const,
        ]),
    ...(stored === undefined || from === undefined || stays ? [] : [{ remove: from, expects: stored.version }]),
  ]
}

/** The writes that replace the stored record and its index entries by the current ones. */
export const writesOf = ({ stored, current }: TrackedRecord): Write[] => {
  if (stored === current) return []
  const writes = [...itemWrites({ stored, current }), ...pointerWrites({ stored, current })]
  const before = stored === undefined ? new Map<string, Item>() : indexEntries(stored, { bare: true })
  const after = current === undefined ? new Map<string, Item>() : indexEntries(current)
  // A copy has the version of its record, which each write changes.
  for (const [pk, item] of after)
    if (hasContent(item) || JSON.stringify(before.get(pk)) !== JSON.stringify(item))
      writes.push({ item, expects: 'anything' })
  for (const [pk, item] of before)
    if (after.get(pk)?.sk?.S !== item.sk?.S) writes.push({ remove: addressOf(item), expects: 'anything' })
  return writes
}
