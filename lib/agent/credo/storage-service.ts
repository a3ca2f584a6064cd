/** Credo's storage on the running unit of work, whose single transaction writes all changes. */
import {
  type AgentContext,
  type BaseRecord,
  type BaseRecordConstructor,
  JsonTransformer,
  type Query,
  type QueryOptions,
  RecordDuplicateError,
  RecordNotFoundError,
  type StorageService,
  StorageVersionRecord,
} from '@credo-ts/core'
import { DidCommOutOfBandRecord, DidCommOutOfBandRole } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { ATTACHED_REQUEST } from '../../records/record-json.ts'
import type { TagQuery } from '../../store/index-entries.ts'
import type { NewRecord, StoredRecord, Tags } from '../../store/stored-record.ts'
import { currentUnit } from '../../store/transaction.ts'
import { withSecretSealed, withSecretUnsealed } from './sealed-records.ts'
import { tenantOf } from './tenant-contexts.ts'

/**
 * Record types that Credo queries and this agent never stores: it uses no mediator, and credentials are W3C records.
 */
const NEVER_STORED = new Set(['MediationRecord', 'MediatorRoutingRecord', 'AnonCredsCredentialRecord'])

export class UnitOfWorkStorageService implements StorageService<BaseRecord> {
  readonly supportsCursorPagination = false

  async save(agentContext: AgentContext, record: BaseRecord): Promise<void> {
    // Some of Credo's records have no creation time, by which index entries are sorted.
    record.createdAt ??= new Date()
    record.updatedAt = new Date()
    if (!currentUnit().insert(await withSecretSealed(toStored(agentContext, record))))
      throw new RecordDuplicateError(`record with id ${record.id} already exists`, { recordType: record.type })
  }

  async update(agentContext: AgentContext, record: BaseRecord): Promise<void> {
    record.updatedAt = new Date()
    const stored = await withSecretSealed(toStored(agentContext, record))
    if (!(await currentUnit().update(stored))) throw notFound(record.type, record.id)
  }

  async delete(agentContext: AgentContext, record: BaseRecord): Promise<void> {
    await this.#remove(agentContext, record.type, record.id)
  }

  async deleteById<T extends BaseRecord>(
    agentContext: AgentContext,
    recordClass: BaseRecordConstructor<T>,
    id: string,
  ): Promise<void> {
    await this.#remove(agentContext, recordClass.type, id)
  }

  async getById<T extends BaseRecord>(
    agentContext: AgentContext,
    recordClass: BaseRecordConstructor<T>,
    id: string,
  ): Promise<T> {
    if (recordClass.type === StorageVersionRecord.type) return currentVersion(recordClass)
    const stored = await currentUnit().read(tenantOf(agentContext), recordClass.type, id)
    if (stored === undefined) throw notFound(recordClass.type, id)
    return toRecord(stored, recordClass)
  }

  async getAll<T extends BaseRecord>(agentContext: AgentContext, recordClass: BaseRecordConstructor<T>): Promise<T[]> {
    return this.findByQuery(agentContext, recordClass, {})
  }

  async findByQuery<T extends BaseRecord>(
    agentContext: AgentContext,
    recordClass: BaseRecordConstructor<T>,
    query: Query<T>,
    { offset = 0, limit }: QueryOptions = {},
  ): Promise<T[]> {
    if (NEVER_STORED.has(recordClass.type)) return []
    const found = await currentUnit().find(tenantOf(agentContext), recordClass.type, query as TagQuery)
    const page = found.slice(offset, limit === undefined ? undefined : offset + limit)
    return Promise.all(page.map((one) => toRecord(one, recordClass)))
  }

  async #remove(agentContext: AgentContext, type: string, id: string): Promise<void> {
    if (!(await currentUnit().remove(tenantOf(agentContext), type, id))) throw notFound(type, id)
  }
}

const notFound = (recordType: string, id: string): RecordNotFoundError =>
  new RecordNotFoundError(`record with id ${id} not found`, { recordType })

/** The members of a Credo record that are needed to store it or to respond with it. */
type Storable = Pick<BaseRecord, 'id' | 'type' | 'toJSON'> & { getTags(): object }

/** The stored form of a record, also used for responses. */
export const toStored = (agentContext: AgentContext, record: Storable): NewRecord => {
  const { _tags, ...value } = JSON.parse(JSON.stringify(record.toJSON()))
  const tags = withHandledThread(record.type, value, definedTags(record))
  return { tenant: tenantOf(agentContext), type: record.type, id: record.id, value, tags }
}

/** The stored form of a record that the running unit of work has just written, without building it again. */
export const storedForm = async (agentContext: AgentContext, record: Storable): Promise<NewRecord> =>
  (await currentUnit().read(tenantOf(agentContext), record.type, record.id)) ?? toStored(agentContext, record)

const HandledRequest = v.object({
  metadata: v.object({ [ATTACHED_REQUEST]: v.object({ threadId: v.string() }) }),
})

/**
 * The tags of a record. Answers find the invitation of their request by its thread (Aries RFC 0434). A received
 * invitation is tagged only with the thread of the request that was handled: its author could name the thread of
 * another exchange, to be treated as the other party of that exchange, or to block that party's messages.
 */
const withHandledThread = (type: string, value: NewRecord['value'], tags: NewRecord['tags']): NewRecord['tags'] => {
  if (type !== DidCommOutOfBandRecord.type || value.role !== DidCommOutOfBandRole.Receiver) return tags
  const handled = v.safeParse(HandledRequest, value)
  const threads = handled.success ? [handled.output.metadata[ATTACHED_REQUEST].threadId] : []
  return { ...tags, invitationRequestsThreadIds: threads }
}

const definedTags = (record: Storable): Tags => JSON.parse(JSON.stringify(record.getTags()))

const toRecord = async <T extends BaseRecord>(
  stored: StoredRecord,
  recordClass: BaseRecordConstructor<T>,
): Promise<T> => {
  const { value } = await withSecretUnsealed(stored)
  // Copies all objects and arrays.
  const record = JsonTransformer.fromJSON(value, recordClass)
  record.replaceTags(JSON.parse(JSON.stringify(stored.tags)))
  return record
}

/** The deployed code always matches the stored data, so this needs neither a request nor a migration at the start. */
const currentVersion = <T extends BaseRecord>(recordClass: BaseRecordConstructor<T>): T =>
  JsonTransformer.fromJSON(
    new StorageVersionRecord({ storageVersion: StorageVersionRecord.frameworkStorageVersion }).toJSON(),
    recordClass,
  )
