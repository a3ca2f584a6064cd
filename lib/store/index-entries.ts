/** Which tags are looked up, and the index entries that a record has because of them. */
import { AgentError } from '../errors.ts'
import { unfinishedListOf } from '../records/connection.ts'
import { entryAddress, entryPartition } from './keys.ts'
import { type StoredRecord, type Tags, type TagValue, toEntryItem } from './stored-record.ts'
import type { Item } from './table.ts'

interface Index {
  /** Several tags under one name: an `$or` over them is one query. */
  name: string
  /** The entry carries the whole record: a list shows it, or it is read with every message. */
  copy?: true
  /** Of what follows from the record and is no tag: our lists look it up, Credo's queries don't. */
  of?: (value: Record<string, unknown>) => TagValue
  /** A query reads no more of its entries than this many of the newest. */
  newest?: number
}

/** The entries that a query reads. */
export interface Partition {
  pk: string
  newest?: number
}

/** A query that names more values than this reads the list of all instead, where there is one: who asks for a proof writes the query. */
const MAX_PARTITIONS = 20

/** A holder with more credentials finds the older ones by their definition or schema only. */
const MAX_HELD = 500

/** The tag of an index that every record of its type is in. */
const EVERY = '*'

/**
 * What Credo and our lists really look up; `role`, `state` and message names choose too little to be worth an entry. Of several that could answer
 * a query the first is read: what chooses most comes first.
 */
const INDEXES: Record<string, Record<string, Index>> = {
  DidRecord: {
    did: { name: 'did', copy: true },
    alternativeDids: { name: 'did', copy: true },
    recipientKeyFingerprints: { name: 'recipientKey', copy: true },
    // Our list: not of the DIDs of single invitations and connections.
    public: { name: 'public', copy: true },
  },
  ConnectionRecord: {
    [EVERY]: { name: EVERY, copy: true },
    did: { name: 'did', copy: true },
    previousDids: { name: 'did', copy: true },
    theirDid: { name: 'theirDid', copy: true },
    previousTheirDids: { name: 'theirDid', copy: true },
    threadId: { name: 'threadId' },
    outOfBandId: { name: 'outOfBandId', copy: true },
    alias: { name: 'alias', copy: true, of: ({ alias }) => (typeof alias === 'string' ? alias : undefined) },
    unfinished: { name: 'unfinished', of: unfinishedListOf },
    invitationDid: { name: 'invitationDid', copy: true },
  },
  OutOfBandRecord: {
    // Without copies: an invitation holds the request that it carries, and few are ever listed.
    [EVERY]: { name: EVERY },
    invitationId: { name: 'invitationId' },
    threadId: { name: 'threadId' },
    recipientKeyFingerprints: { name: 'recipientKey' },
    invitationRequestsThreadIds: { name: 'requestThreadId' },
  },
  DidCommMessageRecord: { associatedRecordId: { name: 'associatedRecordId' } },
  BasicMessageRecord: { threadId: { name: 'threadId' }, connectionId: { name: 'connectionId', copy: true } },
  ProofRecord: {
    [EVERY]: { name: EVERY, copy: true },
    threadId: { name: 'threadId' },
    parentThreadId: { name: 'parentThreadId' },
    connectionId: { name: 'connectionId' },
  },
  QuestionAnswerRecord: {
    threadId: { name: 'threadId', copy: true },
    connectionId: { name: 'connectionId', copy: true },
    [EVERY]: { name: EVERY, copy: true },
  },
  CredentialDefinitionRecord: {
    [EVERY]: { name: EVERY, copy: true },
    credentialDefinitionId: { name: 'credentialDefinitionId' },
  },
  AnonCredsSchemaRecord: { schemaId: { name: 'id' }, unqualifiedSchemaId: { name: 'id' } },
  AnonCredsCredentialDefinitionRecord: {
    credentialDefinitionId: { name: 'id' },
    unqualifiedCredentialDefinitionId: { name: 'id' },
  },
  AnonCredsCredentialDefinitionPrivateRecord: { credentialDefinitionId: { name: 'id' } },
  AnonCredsKeyCorrectnessProofRecord: { credentialDefinitionId: { name: 'id' } },
  AnonCredsRevocationRegistryDefinitionRecord: { revocationRegistryDefinitionId: { name: 'id' } },
  AnonCredsRevocationRegistryDefinitionPrivateRecord: { revocationRegistryDefinitionId: { name: 'id' } },
  AnonCredsLinkSecretRecord: { linkSecretId: { name: 'id' }, isDefault: { name: 'default' } },
  CredentialRecord: {
    [EVERY]: { name: EVERY, copy: true },
    threadId: { name: 'threadId' },
    parentThreadId: { name: 'parentThreadId' },
    connectionId: { name: 'connectionId' },
  },
  // Held credentials. A proof request names attributes, of which a credential has too many for an index, and mostly where they come from.
  W3cCredentialRecord: {
    [EVERY]: { name: EVERY, newest: MAX_HELD },
    anonCredsCredentialDefinitionId: { name: 'credentialDefinitionId' },
    anonCredsUnqualifiedCredentialDefinitionId: { name: 'credentialDefinitionId' },
    anonCredsSchemaId: { name: 'schemaId' },
    anonCredsUnqualifiedSchemaId: { name: 'schemaId' },
  },
}

const indexOf = (type: string, tag: string): Index | undefined => INDEXES[type]?.[tag]

const texts = (value: TagValue): string[] => {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map(String)
}

/** The list of all records of a type that has one. */
export const everyPartition = (tenant: string, type: string): string => entryPartition(tenant, type, EVERY, EVERY)

/** The list, or index, of records whose tag has this value. */
export const tagPartition = (tenant: string, type: string, tag: string, value: string): string => {
  const index = indexOf(type, tag)
  if (index === undefined) throw notIndexed(type, [tag])
  return entryPartition(tenant, type, index.name, value)
}

/** All index entries of a record, by partition. */
export const indexEntries = (record: StoredRecord): Map<string, Item> => {
  const entries = new Map<string, Item>()
  const tags: Tags = { ...record.tags, [EVERY]: EVERY }
  for (const [tag, index] of Object.entries(INDEXES[record.type] ?? {}))
    for (const value of texts(index.of === undefined ? tags[tag] : index.of(record.value))) {
      const pk = entryPartition(record.tenant, record.type, index.name, value)
      const address = entryAddress(pk, record.value.createdAt, record.id)
      entries.set(pk, toEntryItem(address, record, index.copy ?? false))
    }
  return entries
}

/**
 * Partitions whose entries hold every match of a query.
 * Throws `store.query_not_indexed` where only a scan could answer.
 */
export const partitionsOf = (tenant: string, type: string, query: TagQuery): Partition[] => {
  const partitions = covering(tenant, type, query)
  const every = indexOf(type, EVERY)
  if (partitions !== undefined && (partitions.length <= MAX_PARTITIONS || every === undefined))
    return partitions.map((pk) => ({ pk }))
  if (every === undefined) throw notIndexed(type, Object.keys(query))
  return [{ pk: everyPartition(tenant, type), ...(every.newest !== undefined && { newest: every.newest }) }]
}

/** A query by tags as Credo makes it: `Query` of `@credo-ts/core`, without the record's type. */
export interface TagQuery {
  $and?: TagQuery[]
  $or?: TagQuery[]
  $not?: TagQuery
  [tag: string]: TagValue | TagQuery | TagQuery[]
}

const covering = (tenant: string, type: string, { $and, $or, $not, ...tags }: TagQuery): string[] | undefined => {
  for (const [tag, { name, of }] of Object.entries(INDEXES[type] ?? {})) {
    const [first] = of === undefined ? texts(tags[tag] as TagValue) : []
    if (first !== undefined) return [entryPartition(tenant, type, name, first)]
  }
  for (const part of $and ?? []) {
    const partitions = covering(tenant, type, part)
    if (partitions !== undefined) return partitions
  }
  const branches = ($or ?? []).map((part) => covering(tenant, type, part))
  const indexed = branches.filter((branch) => branch !== undefined)
  return branches.length > 0 && indexed.length === branches.length ? [...new Set(indexed.flat())] : undefined
}

const notIndexed = (type: string, tags: string[]): AgentError =>
  new AgentError('store.query_not_indexed', `no index of ${type} answers a query by ${tags.join(', ') || 'nothing'}`)

/**
 * Terms are joined by "and". A list in the query asks that the tag's list holds all of it; `null` that the tag is not set;
 * `undefined` asks nothing.
 */
export const matches = (tags: Tags, { $and = [], $or = [], $not, ...terms }: TagQuery): boolean =>
  Object.entries(terms).every(([tag, wanted]) => holds(tags[tag], wanted as TagValue)) &&
  $and.every((part) => matches(tags, part)) &&
  ($or.length === 0 || $or.some((part) => matches(tags, part))) &&
  !($not !== undefined && matches(tags, $not))

const holds = (value: TagValue, wanted: TagValue): boolean => {
  if (wanted === undefined) return true
  if (wanted === null) return value === undefined || value === null
  if (Array.isArray(wanted)) return Array.isArray(value) && wanted.every((one) => value.includes(one))
  return value === wanted
}
