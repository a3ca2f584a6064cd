/** The stored form of Credo's records: their JSON and tags, and a version that Credo does not see. */

import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { isObject, type JsonObject } from '../json.ts'
import { StoredDelivery } from '../records/delivery.ts'
import { recordsOf } from '../records/kinds.ts'
import type { ItemChange } from './conditions.ts'
import { defineItem, type Image } from './item.ts'
import { type Field, integer, json, optional, packed } from './item-fields.ts'
import { type Address, entryAddress, entryPartition, recordAddress, recordKeyOf } from './keys.ts'
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
  /** Delivery state of a sent basic message. It changes without the value. */
  delivery?: StoredDelivery | undefined
  /** Epoch seconds, also of its index entries; absent: it never expires. */
  expiresAt?: number | undefined
}

/** A record to store: the unit of work sets its version and, by the description of its type, when it expires. */
export type NewRecord = Omit<StoredRecord, 'version' | 'expiresAt'>

/** Value and tags, packed as one text because they repeat each other. Credo has its own schemas for them. */
const Content = v.tuple([v.custom<JsonObject>(isObject), v.custom<Tags>(isObject)])
type Content = v.InferOutput<typeof Content>

/** Packs the content that a record's item and its copies share only once. */
const packingOnce = (field: Field<Content>): Field<Content> => {
  const written = new WeakMap<JsonObject, { tags: Tags; attribute: ReturnType<Field<Content>['write']> }>()
  return {
    ...field,
    write: ([value, tags]) => {
      const known = written.get(value)
      if (known?.tags === tags) return known.attribute
      const attribute = field.write([value, tags])
      written.set(value, { tags, attribute })
      return attribute
    },
  }
}

const FIELDS = { version: integer(), content: packingOnce(packed(Content)), expiresAt: optional(integer()) }

const recordItem = defineItem(
  'record',
  (address: Address) => address,
  {
    ...FIELDS,
    delivery: optional(json(StoredDelivery)),
  },
  'parts',
)

const ENTRY_KIND = 'entry'
const entryItem = defineItem(ENTRY_KIND, (address: Address) => address, { expiresAt: FIELDS.expiresAt }, 'parts')
/** An index entry with a copy of its record. */
const copyItem = defineItem(ENTRY_KIND, (address: Address) => address, FIELDS, 'parts')

/** The change that updates the delivery state of a basic message. It counts as a write of the record. */
export const deliveryChange = (delivery: StoredDelivery): ItemChange => ({
  set: recordItem.attributes({ delivery }),
  add: { version: 1 },
})

/** The address of a record: its own partition, or one that it shares with all of the same `partitionTag`. */
export const addressOfRecord = ({ tenant, type, id, value, tags }: StoredRecord): Address => {
  const { partitionTag, indexes = {} } = recordsOf(type) ?? {}
  if (partitionTag === undefined) return recordAddress(tenant, type, id)
  const tag = tags[partitionTag]
  if (typeof tag !== 'string') throw new AgentError('internal', `a ${type} cannot be stored without ${partitionTag}`)
  return entryAddress(
    entryPartition(tenant, type, indexes[partitionTag]?.name ?? partitionTag, tag),
    value.createdAt,
    id,
  )
}

/** The record's own item. */
export const toRecordItem = (record: StoredRecord): Item =>
  recordItem.encode({ ...withContent(record), ...addressOfRecord(record) })

/** An index entry of a record. */
export const toEntryItem = (address: Address, record: StoredRecord, copy: boolean): Item =>
  copy
    ? copyItem.encode({ ...withContent(record), ...address })
    : entryItem.encode({ ...address, expiresAt: record.expiresAt })

const withContent = (record: StoredRecord): StoredRecord & { content: Content } => ({
  ...record,
  content: [record.value, record.tags],
})

/** Whether an item in an index's partition has the record: as a copy, or because it is the record itself. */
export const hasContent = (item: Item): boolean => item.content !== undefined

/** Decodes a record from an item for which `hasContent`. */
export const toStoredRecord = (item: Item): StoredRecord =>
  recordItem.is(item) ? fromRecordItem(item) : toRecord(item, copyItem.decode(item))

/** Decodes a record from its own item or stream image. */
export const fromRecordItem = (item: Image): StoredRecord => toRecord(item, recordItem.decode(item))

const toRecord = <T extends { content: Content }>({ pk, sk }: Image, { content, ...rest }: T) => ({
  ...recordKeyOf({ pk: pk?.S ?? '', sk: sk?.S ?? '' }),
  ...rest,
  value: content[0],
  tags: content[1],
})
