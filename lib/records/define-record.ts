/**
 * A kind of record is described once: its index entries, lists, events and rights follow from that. Its schema is listed
 * in shown-records.ts.
 */
import type { Format } from '../metrics.ts'
import type { Owner } from './owners.ts'
import { type RecordContent, type RecordJson, toRecordJson } from './record-json.ts'

/** Name of a virtual tag that all records of a type have, with the same value. */
export const EVERY = '*'

export interface Index {
  /** Tags with the same name share an index: an `$or` over them is one query. */
  name: string
  /** The entry contains a copy of the record, for lists and for records that every message reads. */
  copy?: true
  /** Another tag, whose value is a part of the key: records without it have no entry. */
  with?: string
  /** The form of a value in the index: values of one form share their entry. */
  form?: (value: string) => string
  /** An index on a value of the record instead of a tag. Only our own lists use it, not Credo's queries. */
  of?: (value: Record<string, unknown>) => string | string[] | undefined
  /** Maximum number of entries that a query reads, newest first. */
  newest?: number
}

interface RecordEvent {
  summary: string
  /**
   * Whether a change of the record, as the API shows it, is this event. A change is at most one event, the first that
   * matches: a second one would have the same sequence, and receivers would treat it as outdated.
   */
  isChange: (after: RecordJson, before: RecordJson | undefined) => boolean
}

/** By types of owners: the query by tags for the records of an owner. */
type OwnedRecords = Readonly<Record<string, (owner: Owner) => Readonly<Record<string, unknown>>>>

interface Definition {
  /** Credo's name of the record's type, which is part of its keys. */
  type: string
  /** What it is removed with; `shared`: others may use it, and it is removed with the tenant. */
  belongsTo: OwnedRecords | { shared: OwnedRecords }
  /** Maximum number of a tenant's records, which `assertBelowMaximum` checks; or a text on what bounds it. */
  atMost: number | string
  /**
   * Path of the secret in the record, which is sealed with the tenant's data key before it is written; empty if there
   * is none, or if other code seals it.
   */
  sealed: readonly [] | readonly [field: string] | readonly [field: string, member: string]
  /** Name of the records' keys in `permissions` of serverless.yml; absent: only `record` includes them. */
  keys?: string
  /**
   * The tags that Credo and our lists query. `role`, `state` and message names are not selective enough for an index.
   * If several indexes match a query, the first is read, so the most selective comes first.
   */
  indexes: Record<string, Index>
  /**
   * The tag whose value is the records' partition: the index entry is the record itself, which has no other item. It is
   * the only index, and each record has one value of it. Such a record cannot be read by its id alone.
   */
  partitionTag?: string
  /** Filters of lists with an index of their own, the most selective first. */
  lists?: readonly string[]
  /** Tag whose value is `true` in the records that the list shows; absent: it shows all. */
  listTag?: string
  /** Fields of the record by the names of their filters, if the names differ. */
  filters?: Readonly<Record<string, string>>
  /** Epoch seconds, from the record and its expiry so far; undefined: it never expires. */
  expiry?: (stored: RecordContent, before: number | undefined) => number | undefined
  /**
   * The item that maps an id to the record, for callers that do not know its tenant. The store writes it with the first
   * version of the record, and reserves the id for its tenant; no other record can have it.
   */
  pointer?: {
    kind: string
    /** The id; undefined: there is no such item for this record. */
    idOf: (value: Record<string, unknown>) => string | undefined
    /** Seconds for which the id of a deleted record is remembered. */
    retentionSeconds: number
  }
  events?: Record<string, RecordEvent>
  /** The event of its deletion by a call, which has its id and its last state. */
  deletedEvent?: { type: string; summary: string }
  /** Of an exchange: the states in which it ends, and its format in metrics, by the record's metadata. */
  ends?: { states: readonly string[]; format: (metadata: object) => Format }
  /** The record as the API shows it. */
  view?: (stored: RecordContent) => RecordJson
}

export type RecordDefinition = Definition & Required<Pick<Definition, 'view'>>

/** The first state is a change too. So is the result of a verifier's checks, which may not change the state. */
export const isStateChange = (after: RecordJson, before: RecordJson | undefined): boolean =>
  typeof after.state === 'string' && (after.state !== before?.state || after.isVerified !== before.isVerified)

/**
 * Describes a kind of record. It is given as a function, and the call is marked as pure, so that a bundle has only the
 * descriptions that it uses.
 *
 * @example
 * export const proofRecords = /* @__PURE__ *\/ defineRecord(() => ({
 *   type: 'ProofRecord',
 *   belongsTo: OF_TENANT,
 *   atMost: 'unlimited: each is created by a call, or for a message',
 *   sealed: [],
 *   indexes: { [EVERY]: { name: EVERY, copy: true }, threadId: { name: 'threadId' } },
 *   lists: ['threadId'],
 *   events: {
 *     'proof.state_changed': { summary: 'The state of a proof exchange has changed', isChange: isStateChange },
 *   },
 * }))
 */
export const defineRecord = <const D extends Definition>(definition: () => D) => ({
  view: toRecordJson,
  ...definition(),
})
