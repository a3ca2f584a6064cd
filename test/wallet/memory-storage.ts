/** Credo's storage in memory, for as long as the wallet runs. Records are kept as text, so that no object is shared. */
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
import { matches, type TagQuery } from './tag-query.ts'

interface StoredRecord {
  type: string
  value: string
  tags: string
}

export class MemoryStorage implements StorageService<BaseRecord> {
  readonly supportsCursorPagination = false
  /** By type and id, in order of creation. */
  readonly #records = new Map<string, StoredRecord>()
  #lock: Promise<unknown> = Promise.resolve()

  constructor() {
    // Credo does not start on an empty store: it would have to be migrated first.
    const { frameworkStorageVersion: storageVersion } = StorageVersionRecord
    this.#write(new StorageVersionRecord({ storageVersion }))
  }

  async save(_agentContext: AgentContext, record: BaseRecord): Promise<void> {
    if (this.#records.has(address(record.type, record.id))) {
      throw new RecordDuplicateError(`record with id ${record.id} already exists`, { recordType: record.type })
    }
    this.#write(record)
  }

  async update(_agentContext: AgentContext, record: BaseRecord): Promise<void> {
    this.#read(record.type, record.id)
    this.#write(record)
  }

  async delete(_agentContext: AgentContext, record: BaseRecord): Promise<void> {
    this.#remove(record.type, record.id)
  }

  async deleteById(_agentContext: AgentContext, { type }: { type: string }, id: string): Promise<void> {
    this.#remove(type, id)
  }

  async getById<T extends BaseRecord>(
    _agentContext: AgentContext,
    recordClass: BaseRecordConstructor<T>,
    id: string,
  ): Promise<T> {
    return restore(this.#read(recordClass.type, id), recordClass)
  }

  async getAll<T extends BaseRecord>(agentContext: AgentContext, recordClass: BaseRecordConstructor<T>): Promise<T[]> {
    return this.findByQuery(agentContext, recordClass, {})
  }

  async findByQuery<T extends BaseRecord>(
    _agentContext: AgentContext,
    recordClass: BaseRecordConstructor<T>,
    query: Query<T>,
    { offset = 0, limit = Number.POSITIVE_INFINITY }: QueryOptions = {},
  ): Promise<T[]> {
    return [...this.#records.values()]
      .filter(({ type, tags }) => type === recordClass.type && matches(JSON.parse(tags), query as TagQuery))
      .slice(offset, offset + limit)
      .map((stored) => restore(stored, recordClass))
  }

  supportsLocking(): boolean {
    return true
  }

  /** One change at a time, whichever record it is of: the wallet has one user. */
  async updateByIdWithLock<T extends BaseRecord>(
    agentContext: AgentContext,
    recordClass: BaseRecordConstructor<T>,
    id: string,
    change: (record: T) => Promise<T>,
  ): Promise<T> {
    const changed = this.#lock.then(async () => {
      const record = await change(await this.getById(agentContext, recordClass, id))
      await this.update(agentContext, record)
      return record
    })
    this.#lock = changed.catch(() => {})
    return changed
  }

  #read(type: string, id: string): StoredRecord {
    const stored = this.#records.get(address(type, id))
    if (!stored) throw new RecordNotFoundError(`record with id ${id} not found`, { recordType: type })
    return stored
  }

  #write(record: BaseRecord): void {
    record.updatedAt = new Date()
    const { type, id } = record
    const value = JsonTransformer.serialize(record)
    this.#records.set(address(type, id), { type, value, tags: JSON.stringify(record.getTags()) })
  }

  #remove(type: string, id: string): void {
    this.#read(type, id)
    this.#records.delete(address(type, id))
  }
}

const address = (type: string, id: string) => `${type}|${id}`

const restore = <T extends BaseRecord>({ value, tags }: StoredRecord, recordClass: BaseRecordConstructor<T>): T => {
  const record = JsonTransformer.deserialize(value, recordClass)
  record.replaceTags(JSON.parse(tags))
  return record
}
