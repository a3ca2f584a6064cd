/** A record as the table holds it: Credo's JSON, its tags, and a version that only the store knows. */
import { AgentError } from '../errors.ts'
import { type Address, recordAddress } from './address.ts'
import { type Item, toKey } from './table.ts'

export type TagValue = string | boolean | string[] | null | undefined
export type Tags = Record<string, TagValue>

export interface StoredRecord {
  tenant: string
  /** Credo's record type, such as `ConnectionRecord`. */
  type: string
  id: string
  /** Counts the writes of this record, from 1. */
  version: number
  /** `toJSON()` of the record, without `_tags`. */
  value: Record<string, unknown>
  tags: Tags
}

/** The record's own item. */
export const toRecordItem = (record: StoredRecord): Item => ({
  ...toKey(recordAddress(record.tenant, record.type, record.id)),
  kind: { S: 'record' },
  ...content(record),
})

/** What a record's item and the entries that carry a copy of it have in common. */
export const content = ({ version, value, tags }: StoredRecord): Item => ({
  version: { N: String(version) },
  value: { S: JSON.stringify(value) },
  tags: { S: JSON.stringify(tags) },
})

export const hasContent = (item: Item): boolean => item.value !== undefined

/** Reads a record that lies at `address` out of its item, or out of an entry that carries a copy. */
export const toStoredRecord = (item: Item, { pk }: Address): StoredRecord => {
  const [tenant, type, id] = pk.split('|')
  const { value, tags, version } = item
  if (!tenant || !type || !id || value?.S === undefined || tags?.S === undefined)
    throw new AgentError('internal', `no record in ${item.pk?.S} ${item.sk?.S}`)
  return { tenant, type, id, version: Number(version?.N), value: JSON.parse(value.S), tags: JSON.parse(tags.S) }
}

/** Reads a record out of its own item. */
export const fromRecordItem = (item: Item): StoredRecord =>
  toStoredRecord(item, { pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' })
