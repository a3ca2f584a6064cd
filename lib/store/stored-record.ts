/** The stored form of a record: Credo's JSON, its tags, and a version that only the store knows. */

import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import { Delivery } from '../records/delivery.ts'
import { defineItem, type Image } from './item.ts'
import { integer, json, optional } from './item-fields.ts'
import { type Address, recordAddress, recordKeyOf } from './keys.ts'
import type { Item } from './table.ts'

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
  /** Delivery of a sent message. It is only in the list's entry, because it changes without the record. */
  delivery?: Delivery | undefined
  /** Epoch seconds, also of its index entries; absent: it never expires. */
  expiresAt?: number | undefined
}

/** Written by this service. Credo has its own schemas for the contents. */
const CONTENT = {
  version: integer(),
  value: json(v.custom<JsonObject>(isObject)),
  tags: json(v.custom<Tags>(isObject)),
  expiresAt: optional(integer()),
}

const recordItem = defineItem(
  'record',
  ({ tenant, type, id }: Pick<StoredRecord, 'tenant' | 'type' | 'id'>) => recordAddress(tenant, type, id),
  CONTENT,
)

const ENTRY_KIND = 'entry'
const entryItem = defineItem(ENTRY_KIND, (address: Address) => address, { expiresAt: CONTENT.expiresAt })
/** An index entry with a copy of its record. */
const copyItem = defineItem(ENTRY_KIND, (address: Address) => address, {
  ...CONTENT,
  delivery: optional(json(Delivery)),
})

/** The attributes of an entry that say what has become of a sent message. */
export const deliveryAttributes = (delivery: Delivery): Item => copyItem.attributes({ delivery })

/** The record's own item. */
export const toRecordItem = (record: StoredRecord): Item => recordItem.encode(record)

/** An index entry of a record. */
export const toEntryItem = (address: Address, record: StoredRecord, copy: boolean): Item =>
  copy ? copyItem.encode({ ...record, ...address }) : entryItem.encode({ ...address, expiresAt: record.expiresAt })

/** Whether an entry has a copy of its record. */
export const hasContent = (item: Item): boolean => item.value !== undefined

/** Decodes the record at `address` from an entry with a copy. */
export const toStoredRecord = (entry: Item, { pk }: Address): StoredRecord => ({
  ...recordKeyOf(pk),
  ...copyItem.decode(entry),
})

/** Decodes a record from its own item or stream image. */
export const fromRecordItem = (item: Image): StoredRecord => ({
  ...recordKeyOf(item.pk?.S ?? ''),
  ...recordItem.decode(item),
})
