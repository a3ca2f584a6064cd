/** The indexes of records: which tags have one, and the index entries of a record. */
import { AgentError } from '../errors.ts'
import { unfinishedListOf } from '../records/connection.ts'
import { entryAddress, entryPartition } from './keys.ts'
import { type StoredRecord, type Tags, type TagValue, toEntryItem } from './stored-record.ts'
import type { Item } from './table.ts'

interface Index {
  /** Tags with the same name share an index: an `$or` over them is one query. */
  name: string
  /** The entry contains a copy of the record, for lists and for records that every message reads. */
  copy?: true
  /** An index on a value of the record instead of a tag. Only our own lists use it, not Credo's queries. */
  of?: (value: Record<string, unknown>) => TagValue
  /** Maximum number of entries that a query reads, newest first. */
  newest?: number
}

/** The entries that a query reads. */
export interface Partition {
  pk: string
  newest?: number
}

/** A query with more values reads the list of all records instead, if there is one: verifiers write the queries of proof requests. */
const MAX_PARTITIONS = 20

/** Older credentials than these are found only by their definition or schema. */
const MAX_HELD = 500

/** Name of the index that contains every record of its type. */
const EVERY = '*'

/**
 * The tags that Credo and our lists query. `role`, `state` and message names are not selective enough for an index. If several indexes match a query,
 * the first is read, so the most selective comes first.
 */
const INDEXES: Record<string, Record<string, Index>> = {
  DidRecord: {
    did: { name: 'did', copy: true },
    alternativeDids: { name: 'did', copy: true },
    recipientKeyFingerprints: { name: 'recipientKey', copy: true },
    // For our list of DIDs, without those of single invitations and connections.
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
    // Without copies, because invitations contain their requests, and few are ever listed.
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
  // Held credentials. Proof requests name attributes, of which a credential has too many for an index, and usually the definition or schema.
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

/** The partition with all records of a type. */
export const everyPartition = (tenant: string, type: string): string => entryPartition(tenant, type, EVERY, EVERY)

/** The partition with the records whose tag has this value. */
export const tagPartition = (tenant: string, type: string, tag: string, value: string): string => {
  const index = indexOf(type, tag)
  if (index === undefined) throw notIndexed(type, [tag])
  return entryPartition(tenant, type, index.name, value)
}

/** Whether the entries of the list by this tag, or of all records of a type, show their records. */
export const hasCopies = (type: string, tag = EVERY): boolean => indexOf(type, tag)?.copy === true

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

/** Partitions that contain every match of a query. Throws `store.query_not_indexed` if only a scan could answer it. */
export const partitionsOf = (tenant: string, type: string, query: TagQuery): Partition[] => {
  const partitions = covering(tenant, type, query)
  const every = indexOf(type, EVERY)
  if (partitions !== undefined && (partitions.length <= MAX_PARTITIONS || every === undefined))
    return partitions.map((pk) => ({ pk }))
  if (every === undefined) throw notIndexed(type, Object.keys(query))
  return [{ pk: everyPartition(tenant, type), ...(every.newest !== undefined && { newest: every.newest }) }]
}

/** Credo's query by tags (`Query` of `@credo-ts/core`), without the record's type. */
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
 * Whether tags match a query. All terms have to match. A list requires that the tag contains all its values, `null` that the tag is not set;
 * `undefined` requires nothing.
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
