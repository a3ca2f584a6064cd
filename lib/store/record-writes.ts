/** The writes of a record that has changed in a unit of work: its item, its index entries, and what strangers see of its invitation. */
import { AgentError } from '../errors.ts'
import type { Write } from './commit.ts'
import { indexEntries } from './index-entries.ts'
import { recordAddress } from './keys.ts'
import { publishedOf, withdrawnOf } from './published-invitations.ts'
import { type StoredRecord, toRecordItem } from './stored-record.ts'
import { addressOf, type Item } from './table.ts'

/** A record in the unit: as it was read (absent: not stored yet) and as it is to be (absent: deleted). */
export interface Held {
  stored: StoredRecord | undefined
  current: StoredRecord | undefined
}

export const conflict = (): AgentError => new AgentError('store.conflict', 'the record changed at the same time')

/** The write that shows, or no longer shows, an invitation. An id is its first agent's: no other can show something else by it. */
const invitationWrites = ({ stored, current }: Held): Write[] => {
  const before = stored && publishedOf(stored)
  const after = current === undefined ? stored && withdrawnOf(stored) : publishedOf(current)
  if (after === undefined || JSON.stringify(before) === JSON.stringify(after)) return []
  return [{ item: after, expects: before === undefined ? 'nothing' : 'anything', whenBroken: conflict }]
}

/** The writes that turn the stored record and its index entries into the current ones. */
export const writesOf = ({ stored, current }: Held): Write[] => {
  if (stored === current) return []
  const writes: Write[] = []
  if (current !== undefined)
    writes.push({ item: toRecordItem(current), expects: stored?.version ?? 'nothing', whenBroken: conflict })
  else if (stored !== undefined)
    writes.push({
      remove: recordAddress(stored.tenant, stored.type, stored.id),
      expects: stored.version,
      whenBroken: conflict,
    })
  writes.push(...invitationWrites({ stored, current }))
  const before = stored === undefined ? new Map<string, Item>() : indexEntries(stored)
  const after = current === undefined ? new Map<string, Item>() : indexEntries(current)
  for (const [pk, item] of after)
    if (JSON.stringify(before.get(pk)) !== JSON.stringify(item))
      writes.push({ item, expects: 'anything', whenBroken: conflict })
  for (const [pk, item] of before)
    if (after.get(pk)?.sk?.S !== item.sk?.S)
      writes.push({ remove: addressOf(item), expects: 'anything', whenBroken: conflict })
  return writes
}
