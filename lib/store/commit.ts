/**
 * Commits the changes of a unit of work in one transaction: the writes of its records, and the error where one of them
 * was refused.
 */

import { AgentError } from '../errors.ts'
import type { Change, Condition } from './conditions.ts'
import { conflicting } from './faults.ts'
import { indexEntries } from './index-entries.ts'
import { type Address, recordAddress } from './keys.ts'
import { publishedOf, withdrawnOf } from './published-invitations.ts'
import { type StoredRecord, toRecordItem } from './stored-record.ts'
import { addressOf, type Item } from './table.ts'
import { absentOrExpired, type TableWrite, transact } from './write.ts'

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
  onFailedCondition?: () => unknown
}

export type Write = Replacement | Update

/** Writes all or nothing. A failed expectation is a more specific error than a conflict, so it is reported first. */
export const commitWrites = async (writes: Write[]): Promise<void> => {
  const result = await transact(writes.map(toTableWrite))
  if (result.written) return
  const [first] = result.failed
  throw first === undefined ? conflicting(result.cause) : (writes[first]?.onFailedCondition ?? conflict)()
}

const toTableWrite = (write: Write): TableWrite => {
  if ('update' in write) {
    const { update, change, condition } = write
    return { update, change, ...(condition !== undefined && { condition }) }
  }
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

export const conflict = (): AgentError => new AgentError('store.conflict', 'the record changed at the same time')

/**
 * The write that publishes or withdraws an invitation. The first agent owns an id: no other agent can publish under it.
 */
const invitationWrites = ({ stored, current }: TrackedRecord): Write[] => {
  const before = stored && publishedOf(stored)
  const after = current === undefined ? stored && withdrawnOf(stored) : publishedOf(current)
  if (after === undefined || JSON.stringify(before) === JSON.stringify(after)) return []
  return [{ item: after, expects: before === undefined ? 'nothing' : 'anything' }]
}

/** The writes that replace the stored record and its index entries by the current ones. */
export const writesOf = ({ stored, current }: TrackedRecord): Write[] => {
  if (stored === current) return []
  const writes: Write[] = []
  if (current !== undefined) writes.push({ item: toRecordItem(current), expects: stored?.version ?? 'nothing' })
  else if (stored !== undefined)
    writes.push({
      remove: recordAddress(stored.tenant, stored.type, stored.id),
      expects: stored.version,
    })
  writes.push(...invitationWrites({ stored, current }))
  const before = stored === undefined ? new Map<string, Item>() : indexEntries(stored)
  const after = current === undefined ? new Map<string, Item>() : indexEntries(current)
  for (const [pk, item] of after)
    if (JSON.stringify(before.get(pk)) !== JSON.stringify(item)) writes.push({ item, expects: 'anything' })
  for (const [pk, item] of before)
    if (after.get(pk)?.sk?.S !== item.sk?.S) writes.push({ remove: addressOf(item), expects: 'anything' })
  return writes
}
