/** The unit of work: caches the records that an invocation reads, and commits all its writes in one transaction. */
import { commitWrites, nextVersion, recordConflict, recordWrites, type TrackedRecord, type Write } from './commit.ts'
import type { Condition, ItemChange } from './conditions.ts'
import { matches, notIndexed, type Partition, partitionsOf, sharesPartition, type TagQuery } from './index-entries.ts'
import { type ReadableItem, readItem } from './item.ts'
import { type Address, recordAddress, recordOfEntry, SINGLE_SORT_KEY } from './keys.ts'
import { type ModuleStates, stateOf } from './module-state.ts'
import { fromRecordItem, hasContent, type NewRecord, type StoredRecord, toStoredRecord } from './stored-record.ts'
import {
  addressOf,
  getItem,
  getItems,
  type Item,
  type PartitionPage,
  type PartitionRead,
  queryAll,
  queryPage,
  toKey,
} from './table.ts'

/** Identifies a record of the unit's tenant. */
type RecordKey = Pick<StoredRecord, 'type' | 'id'>

export class UnitOfWork {
  /** The agent for which the invocation runs: a tenant's id or BASE_AGENT. */
  readonly tenant: string
  /** Minimum number of retries after conflicts, for operations on items that change often. */
  minRetries = 0
  readonly #records = new Map<string, TrackedRecord>()
  /** Index partitions that were read or are being read. */
  readonly #partitions = new Map<string, Promise<void>>()
  /** Partitions of which only the newest entries were read. */
  readonly #partialPartitions = new Set<string>()
  /** By address, because a transaction accepts one write for each item. */
  readonly #writes = new Map<string, Write>()
  readonly #beforeCommit: (() => void)[] = []
  readonly #afterCommit: (() => unknown)[] = []
  readonly #states: ModuleStates = new Map()
  readonly #operationStates: ModuleStates
  #failure: unknown

  /** `operationStates`: state that the retries of an operation share. */
  constructor(tenant: string, operationStates: ModuleStates = new Map()) {
    this.tenant = tenant
    this.#operationStates = operationStates
  }

  /** The first error of a read. Protocol code may catch it, so it is stored: a unit with a failure never commits. */
  get failure(): unknown {
    return this.#failure
  }

  /** One item; undefined if there is none or it has expired. */
  get(address: Address): Promise<Item | undefined> {
    return this.runRead(() => getItem(address))
  }

  /** The items at the addresses, in no particular order. */
  getAll(addresses: Address[]): Promise<Item[]> {
    return this.runRead(() => getItems(addresses))
  }

  /** The decoded item of a key; undefined if there is none or it has expired. */
  load<Key, T>(definition: ReadableItem<Key, T>, key: Key): Promise<T | undefined> {
    return this.runRead(() => readItem(definition, key))
  }

  /** One page of a partition, in the order of its sort keys. */
  query(partition: string, range: PartitionRead): Promise<PartitionPage> {
    return this.runRead(() => queryPage(partition, range))
  }

  /** A whole partition. */
  queryAll(partition: string): Promise<Item[]> {
    return this.runRead(() => queryAll(partition))
  }

  /**
   * State of a module for the lifetime of this unit, under the module's own key. The first use creates it with `init`.
   */
  moduleState<T>(key: symbol | object, init: () => T): T {
    return stateOf(this.#states, key, init)
  }

  /**
   * The same for the lifetime of the operation, so that a retry after a conflict does not repeat what was done outside
   * of the transaction.
   */
  operationState<T>(key: symbol | object, init: () => T): T {
    return stateOf(this.#operationStates, key, init)
  }

  /**
   * A record with the unit's own changes. Throws `store.query_not_indexed` if records of its type are found by a tag
   * only, and this unit has not found this one.
   */
  async read(tenant: string, type: string, id: string): Promise<StoredRecord | undefined> {
    return (await this.#track(tenant, type, id)).current
  }

  /**
   * The last item in the partition of a record, apart from the record itself, which the request reads too and caches.
   */
  async readWithLast(partition: string): Promise<Item | undefined> {
    const { items } = await this.query(partition, { limit: 2, descending: true })
    const record = items.find((item) => item.sk?.S === SINGLE_SORT_KEY)
    if (record !== undefined) this.#cacheRecord(fromRecordItem(record))
    return items.find((item) => item !== record)
  }

  /**
   * The records that match a query, oldest first, including the unit's own writes. `also`: further records to cache.
   * They are read by the request for the matching records, if there is one.
   */
  async find(tenant: string, type: string, query: TagQuery, also: readonly RecordKey[] = []): Promise<StoredRecord[]> {
    const alsoAddresses = also.map((one) => recordAddress(tenant, one.type, one.id))
    await this.runRead(async () => this.#readMatching(partitionsOf(tenant, type, query), alsoAddresses))
    return [...this.#records.values()]
      .map(({ current }) => current)
      .filter((record) => record !== undefined)
      .filter((record) => record.tenant === tenant && record.type === type && matches(record.tags, query))
      .sort((a, b) => compare(a.value.createdAt, b.value.createdAt) || compare(a.id, b.id))
  }

  /** Whether the unit has read only the newest entries of a partition that has older ones. */
  hasOlder(partition: string): boolean {
    return this.#partialPartitions.has(partition)
  }

  /** Whether this unit has read a record from the table: false also for one that it adds. */
  hasRead(tenant: string, type: string, id: string): boolean {
    return this.#records.get(recordAddress(tenant, type, id).pk)?.stored !== undefined
  }

  /** Queries of this partition find only what the unit adds, without a request: nothing can be stored in it yet. */
  assumeEmpty(partition: string): void {
    if (!this.#partitions.has(partition)) this.#partitions.set(partition, Promise.resolve())
  }

  /** Adds a record. Returns false and adds nothing if this unit has the record already. */
  insert(record: NewRecord): boolean {
    const { pk } = recordAddress(record.tenant, record.type, record.id)
    const tracked = this.#records.get(pk)
    if (tracked?.current !== undefined) return false
    const before = { stored: tracked?.stored, current: undefined }
    this.#records.set(pk, { ...before, current: nextVersion(record, before) })
    return true
  }

  /** The records that this unit adds (version 1) or changes, in their new state. */
  writtenRecords(): StoredRecord[] {
    return [...this.#records.values()].flatMap(({ stored, current }) =>
      current && current !== stored ? [current] : [],
    )
  }

  /** Replaces a record. Returns false if there is none. */
  async update(record: NewRecord): Promise<boolean> {
    const tracked = await this.#track(record.tenant, record.type, record.id)
    if (tracked.current === undefined) return false
    tracked.current = nextVersion(record, tracked)
    return true
  }

  /** Deletes a record. Returns false if there is none. */
  async remove(tenant: string, type: string, id: string): Promise<boolean> {
    const tracked = await this.#track(tenant, type, id)
    if (tracked.current === undefined) return false
    tracked.current = undefined
    return true
  }

  /** Adds an item that must not exist yet, such as a key, a mark or an outbox item. Otherwise throws `onExisting()`. */
  create(item: Item, onExisting: () => unknown = recordConflict): void {
    const before = this.#writes.get(writeKey(item))
    if (before !== undefined && 'item' in before) throw onExisting()
    this.#writes.set(writeKey(item), {
      item,
      expects: before === undefined ? 'nothing' : 'anything',
      onFailedCondition: onExisting,
    })
  }

  /** Replaces an item if it still has this version or, for items without versions, these attributes. */
  replace(item: Item, read: number | Item): void {
    this.#writes.set(writeKey(item), { item, expects: read })
  }

  /**
   * Changes attributes of an item that this unit does not write otherwise. Without a condition the item may be missing.
   * `orSkip`: if the condition fails, the unit commits without this change.
   */
  change(address: Address, change: ItemChange, condition?: Condition, orSkip = false): void {
    this.#writes.set(writeKey(toKey(address)), { update: address, change, condition, orSkip })
  }

  /**
   * Deletes an item; with `read` only if it still has this version or, for items without versions, these attributes. An
   * item that this unit itself creates is not written at all.
   */
  delete(address: Address, read?: number | Item): void {
    const key = writeKey(toKey(address))
    const before = this.#writes.get(key)
    if (before !== undefined && 'expects' in before && before.expects === 'nothing') this.#writes.delete(key)
    else this.#writes.set(key, { remove: address, expects: read ?? 'anything' })
  }

  /**
   * Runs a read. If it fails, the unit does not commit. Reading methods of the unit use this; call it for other reads,
   * such as a key from KMS.
   */
  async runRead<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  /** Calls `add` at the start of the commit, to add the last writes. */
  beforeCommit(add: () => void): void {
    this.#beforeCommit.push(add)
  }

  /**
   * Calls `then` after the commit and waits for it, for example to fill a cache or send a message. It must not throw.
   */
  afterCommit(then: () => unknown): void {
    this.#afterCommit.push(then)
  }

  /**
   * Writes everything in one transaction, or nothing. Throws `store.conflict` (run the operation again),
   * `store.unavailable`, `store.item_too_large`, `store.transaction_too_large`, or the error of `create`.
   */
  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    for (const add of this.#beforeCommit) add()
    await commitWrites([...this.#writes.values(), ...[...this.#records.values()].flatMap(recordWrites)])
    await Promise.all(this.#afterCommit.map((then) => then()))
  }

  /** Reads all records with an entry in the partitions. Concurrent queries share the read of a partition. */
  async #readMatching(partitions: Partition[], alsoAddresses: readonly Address[]): Promise<void> {
    const unread = partitions.filter(({ pk }) => !this.#partitions.has(pk))
    if (unread.length > 0) {
      const reading = this.#readEntries(unread, alsoAddresses)
      for (const { pk } of unread) this.#partitions.set(pk, reading)
    }
    await Promise.all(partitions.map(({ pk }) => this.#partitions.get(pk)))
  }

  async #readEntries(partitions: Partition[], alsoAddresses: readonly Address[]): Promise<void> {
    const pages = await Promise.all(partitions.map(entriesOf))
    for (const [index, { pk }] of partitions.entries())
      if (pages[index]?.next !== undefined) this.#partialPartitions.add(pk)
    const entries = pages.flatMap(({ items }) => items)
    const unread = new Map(
      alsoAddresses.filter(({ pk }) => !this.#records.has(pk)).map((address) => [address.pk, address]),
    )
    for (const entry of entries) {
      const address = recordOfEntry(addressOf(entry))
      if (this.#records.has(address.pk)) continue
      if (hasContent(entry)) this.#cacheRecord(toStoredRecord(entry))
      else unread.set(address.pk, address)
    }
    if (unread.size > 0)
      for (const item of await getItems([...unread.values()])) this.#cacheRecord(fromRecordItem(item))
  }

  async #track(tenant: string, type: string, id: string): Promise<TrackedRecord> {
    const address = recordAddress(tenant, type, id)
    const known = this.#records.get(address.pk)
    if (known !== undefined) return known
    if (sharesPartition(type)) throw notIndexed(type, ['id'])
    const stored = await this.runRead(async () => {
      const item = await getItem(address)
      return item && fromRecordItem(item)
    })
    return stored === undefined ? { stored, current: undefined } : this.#cacheRecord(stored)
  }

  /** Earlier reads and writes of this unit take precedence over the table. */
  #cacheRecord(stored: StoredRecord): TrackedRecord {
    const { pk } = recordAddress(stored.tenant, stored.type, stored.id)
    const tracked = this.#records.get(pk) ?? { stored, current: stored }
    this.#records.set(pk, tracked)
    return tracked
  }
}

const entriesOf = async ({ pk, newest }: Partition): Promise<PartitionPage> =>
  newest === undefined ? { items: await queryAll(pk) } : queryPage(pk, { limit: newest, descending: true })

const compare = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0)

const writeKey = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`
