/** The index entries of records, and the partitions that queries read. */
import { AgentError } from '../errors.ts'
import { EVERY, type Index, type RecordDefinition } from '../records/define-record.ts'
import { recordsOf } from '../records/kinds.ts'
import { entryAddress, entryPartition } from './keys.ts'
import { type StoredRecord, type Tags, type TagValue, toEntryItem } from './stored-record.ts'
import type { Item } from './table.ts'

/** The entries that a query reads: a partition, or its `newest` entries. */
export interface Partition {
  pk: string
  newest?: number
}

/**
 * A query of more partitions reads the list of all records instead, if there is one. Verifiers may send long queries.
 */
const MAX_PARTITIONS = 20

const texts = (value: TagValue): string[] => {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map(String)
}

/** The values of a tag under which an index has a record; with `index.with` joined with the value of that other tag. */
const indexedValues = (index: Index, tag: string, tags: Tags): string[] => {
  if (index.with === undefined) return texts(tags[tag])
  const [other] = texts(tags[index.with])
  return other === undefined ? [] : texts(tags[tag]).map((value) => `${other} ${value}`)
}

type Indexed = Pick<RecordDefinition, 'type' | 'indexes'>

/** The indexes of a record type of Credo; none for an unknown type. */
const indexesOf = (type: string): Record<string, Index> => recordsOf(type)?.indexes ?? {}

/** Whether records of this type are stored in partitions of a tag, so that they cannot be read by id alone. */
export const sharesPartition = (type: string): boolean => recordsOf(type)?.partitionTag !== undefined

/** The partition with all records of a type. */
export const allRecordsPartition = (tenant: string, type: string): string => entryPartition(tenant, type, EVERY, EVERY)

/** The partition with the records whose tag has this value. */
export const tagPartition = (tenant: string, { type, indexes }: Indexed, tag: string, value: string): string => {
  const index = indexes[tag]
  if (index === undefined) throw notIndexed(type, [tag])
  return partitionIn(index, tenant, type, value)
}

const partitionIn = ({ name, form }: Index, tenant: string, type: string, value: string): string =>
  entryPartition(tenant, type, name, form?.(value) ?? value)

/** Whether the entries by this tag, or of the list of all records, have copies of the records. */
export const hasCopies = ({ indexes }: Indexed, tag = EVERY): boolean => indexes[tag]?.copy === true

/**
 * All index entries of a record, by partition key; with `bare` without copies. None if the record itself is stored in
 * the index's partition.
 */
export const indexEntries = (record: StoredRecord, { bare = false } = {}): Map<string, Item> => {
  const entries = new Map<string, Item>()
  if (sharesPartition(record.type)) return entries
  const tags: Tags = { ...record.tags, [EVERY]: EVERY }
  for (const [tag, index] of Object.entries(indexesOf(record.type)))
    for (const value of index.of === undefined ? indexedValues(index, tag, tags) : texts(index.of(record.value))) {
      const pk = partitionIn(index, record.tenant, record.type, value)
      const address = entryAddress(pk, record.value.createdAt, record.id)
      entries.set(pk, toEntryItem(address, record, !bare && index.copy === true))
    }
  return entries
}

/** Partitions that contain all matches of a query. Throws `store.query_not_indexed` if it would need a scan. */
export const partitionsOf = (tenant: string, type: string, query: TagQuery): Partition[] => {
  const partitions = coveringPartitions(tenant, type, query)
  const every = indexesOf(type)[EVERY]
  if (partitions !== undefined && (partitions.length <= MAX_PARTITIONS || every === undefined)) return partitions
  if (every === undefined) throw notIndexed(type, Object.keys(query))
  return [partitionRead(every, tenant, type, EVERY)]
}

/** The part of an index that a query by this value reads. */
const partitionRead = (index: Index, tenant: string, type: string, value: string): Partition => ({
  pk: partitionIn(index, tenant, type, value),
  ...(index.newest !== undefined && { newest: index.newest }),
})

/** Credo's query by tags (`Query` of `@credo-ts/core`), without the record's type. */
export interface TagQuery {
  $and?: TagQuery[]
  $or?: TagQuery[]
  $not?: TagQuery
  [tag: string]: TagValue | TagQuery | TagQuery[]
}

const coveringPartitions = (
  tenant: string,
  type: string,
  { $and, $or, $not, ...tags }: TagQuery,
): Partition[] | undefined => {
  for (const [tag, index] of Object.entries(indexesOf(type))) {
    const [first] = index.of === undefined ? indexedValues(index, tag, tags as Tags) : []
    if (first !== undefined) return [partitionRead(index, tenant, type, first)]
  }
  for (const part of $and ?? []) {
    const partitions = coveringPartitions(tenant, type, part)
    if (partitions !== undefined) return partitions
  }
  const branches = ($or ?? []).map((part) => coveringPartitions(tenant, type, part))
  const indexed = branches.filter((branch) => branch !== undefined)
  if (branches.length === 0 || indexed.length < branches.length) return undefined
  return [...new Map(indexed.flat().map((partition) => [partition.pk, partition])).values()]
}

/** The error of a query that would need a scan. */
export const notIndexed = (type: string, tags: string[]): AgentError =>
  new AgentError('store.query_not_indexed', `no index of ${type} answers a query by ${tags.join(', ') || 'nothing'}`)

/**
 * Whether tags match a query: all its terms must match. A list requires that the tag contains all its values, `null`
 * that the tag is not set; `undefined` requires nothing.
 */
export const matches = (tags: Tags, { $and = [], $or = [], $not, ...terms }: TagQuery): boolean =>
  Object.entries(terms).every(([tag, expected]) => hasValue(tags[tag], expected as TagValue)) &&
  $and.every((part) => matches(tags, part)) &&
  ($or.length === 0 || $or.some((part) => matches(tags, part))) &&
  !($not !== undefined && matches(tags, $not))

const hasValue = (value: TagValue, expected: TagValue): boolean => {
  if (expected === undefined) return true
  if (expected === null) return value === undefined || value === null
  if (Array.isArray(expected)) return Array.isArray(value) && expected.every((one) => value.includes(one))
  return value === expected
}
