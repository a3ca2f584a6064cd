/**
 * Everything that one invocation reads and writes: reads are cached, and writes are committed in one transaction at the
 * end.
 */
import { commitWrites, conflict, type TrackedRecord, versionOf, type Write, writesOf } from './commit.ts'
import type { Change, Condition } from './conditions.ts'
import { liesWithin, matches, notIndexed, type Partition, partitionsOf, type TagQuery } from './index-entries.ts'
import { type Readable, readItem } from './item.ts'
import { type Address, ALONE, recordAddress, recordOfEntry } from './keys.ts'
import { type Slots, slotIn } from './slots.ts'
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
  /** The agent that the invocation acts for: a tenant's id or BASE_AGENT. */
  readonly tenant: string
  /** How often the operation is repeated at least where others change the same. */
  repetitions = 0
  readonly #records = new Map<string, TrackedRecord>()
  /** Index partitions that were read or are being read. */
  readonly #partitions = new Map<string, Promise<void>>()
  /** Those of which only the newest entries were read. */
  readonly #cutPartitions = new Set<string>()
  /** By address, because a transaction accepts one write for each item. */
  readonly #writes = new Map<string, Write>()
  readonly #beforeCommit: (() => void)[] = []
  readonly #afterCommit: (() => unknown)[] = []
  readonly #slots: Slots = new Map()
  readonly #operationSlots: Slots
  #failure: unknown

  /** `operationSlots`: what the repetitions of an operation share. */
  constructor(tenant: string, operationSlots: Slots = new Map()) {
    this.tenant = tenant
    this.#operationSlots = operationSlots
  }

  /** The first error of a read. Protocol code may have caught it, so the unit keeps it: such a unit never commits. */
  get failure(): unknown {
    return this.#failure
  }

  /** One item; undefined if there is none or it has expired. */
  get(address: Address): Promise<Item | undefined> {
    return this.recordFailure(() => getItem(address))
  }

  /** The items at the addresses, in no particular order. */
  getAll(addresses: Address[]): Promise<Item[]> {
    return this.recordFailure(() => getItems(addresses))
  }

  /** The item of a key, decoded; undefined where there is none or it has expired. */
  load<Key, T>(definition: Readable<Key, T>, key: Key): Promise<T | undefined> {
    return this.recordFailure(() => readItem(definition, key))
  }

  /** One page of a partition, in the order of its sort keys. */
  query(partition: string, range: PartitionRead): Promise<PartitionPage> {
    return this.recordFailure(() => queryPage(partition, range))
  }

  /** A whole partition. */
  queryAll(partition: string): Promise<Item[]> {
    return this.recordFailure(() => queryAll(partition))
  }

  /**
   * State of a module for the lifetime of this unit, under the module's own key. The first use creates it with `init`.
   */
  slot<T>(key: symbol | object, init: () => T): T {
    return slotIn(this.#slots, key, init)
  }

  /**
   * The same for the lifetime of the operation: a repetition after a conflict finds what was done outside of the
   * transaction, and does it once.
   */
  operationSlot<T>(key: symbol | object, init: () => T): T {
    return slotIn(this.#operationSlots, key, init)
  }

  /**
   * A record as this unit sees it. Throws `store.query_not_indexed` where the kind's records are found by a tag only,
   * and this unit has not found this one.
   */
  async read(tenant: string, type: string, id: string): Promise<StoredRecord | undefined> {
    return (await this.#track(tenant, type, id)).current
  }

  /**
   * The last item in a partition besides a record. The same request reads the record, which is then cached.
   */
  async readWithLast(partition: string): Promise<Item | undefined> {
    const { items } = await this.query(partition, { limit: 2, descending: true })
    const record = items.find((item) => item.sk?.S === ALONE)
    if (record !== undefined) this.#remember(fromRecordItem(record))
    return items.find((item) => item !== record)
  }

  /**
   * The records that match a query, oldest first, including the unit's own writes. `also` are records that are known by
   * their id: they are read in the same request, if the query needs one, and cached.
   */
  async find(tenant: string, type: string, query: TagQuery, also: readonly RecordKey[] = []): Promise<StoredRecord[]> {
    const others = also.map((one) => recordAddress(tenant, one.type, one.id))
    await this.recordFailure(async () => this.#readMatching(partitionsOf(tenant, type, query), others))
    return [...this.#records.values()]
      .map(({ current }) => current)
      .filter((record) => record !== undefined)
      .filter((record) => record.tenant === tenant && record.type === type && matches(record.tags, query))
      .sort((a, b) => compare(a.value.createdAt, b.value.createdAt) || compare(a.id, b.id))
  }

  /** Whether a query of this unit has read only the newest entries of a partition, which may have others. */
  hasOlder(partition: string): boolean {
    return this.#cutPartitions.has(partition)
  }

  /** Whether this unit has read a record from the table, and so not added it. */
  hasRead(tenant: string, type: string, id: string): boolean {
    return this.#records.get(recordAddress(tenant, type, id).pk)?.stored !== undefined
  }

  /** Queries of a partition in which nothing can be stored yet find what this unit adds, without a request. */
  assumeEmpty(partition: string): void {
    if (!this.#partitions.has(partition)) this.#partitions.set(partition, Promise.resolve())
  }

  /** Adds a record. Returns false and adds nothing if this unit has the record already. */
  insert(record: NewRecord): boolean {
    const { pk } = recordAddress(record.tenant, record.type, record.id)
    const tracked = this.#records.get(pk)
    if (tracked?.current !== undefined) return false
    const before = { stored: tracked?.stored, current: undefined }
    this.#records.set(pk, { ...before, current: versionOf(record, before) })
    return true
  }

  /** Records that this unit adds (version 1) or changes, as they will be. */
  written(): StoredRecord[] {
    return [...this.#records.values()].flatMap(({ stored, current }) =>
      current && current !== stored ? [current] : [],
    )
  }

  /** Replaces a record. Returns false if there is none. */
  async update(record: NewRecord): Promise<boolean> {
    const tracked = await this.#track(record.tenant, record.type, record.id)
    if (tracked.current === undefined) return false
    tracked.current = versionOf(record, tracked)
    return true
  }

  /** Deletes a record. Returns false if there is none. */
  async remove(tenant: string, type: string, id: string): Promise<boolean> {
    const tracked = await this.#track(tenant, type, id)
    if (tracked.current === undefined) return false
    tracked.current = undefined
    return true
  }

  /** Adds an item that must not exist yet: a key, a mark, an outbox item. */
  create(item: Item, onExisting: () => unknown = conflict): void {
    const before = this.#writes.get(at(item))
    if (before !== undefined && 'item' in before) throw onExisting()
    this.#writes.set(at(item), {
      item,
      expects: before === undefined ? 'nothing' : 'anything',
      onFailedCondition: onExisting,
    })
  }

  /** Replaces an item if it still has this version or, for items without versions, these attributes. */
  replace(item: Item, read: number | Item): void {
    this.#writes.set(at(item), { item, expects: read })
  }

  /**
   * Changes attributes of an item that this unit does not write otherwise. Without a condition the item may be missing.
   * `orSkip`: only this change is left out if the condition fails.
   */
  change(address: Address, change: Change, condition?: Condition, orSkip = false): void {
    this.#writes.set(at(toKey(address)), { update: address, change, condition, orSkip })
  }

  /**
   * Deletes an item; with `read` only if it still has this version or, for items without versions, these attributes. An
   * item that this unit itself creates is not written at all.
   */
  delete(address: Address, read?: number | Item): void {
    const key = at(toKey(address))
    const before = this.#writes.get(key)
    if (before !== undefined && 'expects' in before && before.expects === 'nothing') this.#writes.delete(key)
    else this.#writes.set(key, { remove: address, expects: read ?? 'anything' })
  }

  /**
   * Runs a read. If it fails, the unit does not commit. Reading methods of the unit use this; call it for other reads,
   * such as a key from KMS.
   */
  async recordFailure<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  /** Calls `add` after the operation, before the commit, to add its last writes. */
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
   * Writes everything at once, or nothing.
   * Throws `store.conflict` (run the operation again), `store.unavailable`, `store.item_too_large`,
   * `store.transaction_too_large`, or what a creation asked for.
   */
  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    for (const add of this.#beforeCommit) add()
    await commitWrites([...this.#writes.values(), ...[...this.#records.values()].flatMap(writesOf)])
    await Promise.all(this.#afterCommit.map((then) => then()))
  }

  /** Reads all records with an entry in the partitions, once: concurrent queries wait for one another. */
  async #readMatching(partitions: Partition[], others: readonly Address[]): Promise<void> {
    const unread = partitions.filter(({ pk }) => !this.#partitions.has(pk))
    if (unread.length > 0) {
      const reading = this.#readEntries(unread, others)
      for (const { pk } of unread) this.#partitions.set(pk, reading)
    }
    await Promise.all(partitions.map(({ pk }) => this.#partitions.get(pk)))
  }

  async #readEntries(partitions: Partition[], others: readonly Address[]): Promise<void> {
    const pages = await Promise.all(partitions.map(entriesOf))
    for (const [index, { pk }] of partitions.entries())
      if (pages[index]?.next !== undefined) this.#cutPartitions.add(pk)
    const entries = pages.flatMap(({ items }) => items)
    const unread = new Map(others.filter(({ pk }) => !this.#records.has(pk)).map((address) => [address.pk, address]))
    for (const entry of entries) {
      const address = recordOfEntry(addressOf(entry))
      if (this.#records.has(address.pk)) continue
      if (hasContent(entry)) this.#remember(toStoredRecord(entry))
      else unread.set(address.pk, address)
    }
    if (unread.size > 0) for (const item of await getItems([...unread.values()])) this.#remember(fromRecordItem(item))
  }

  async #track(tenant: string, type: string, id: string): Promise<TrackedRecord> {
    const address = recordAddress(tenant, type, id)
    const known = this.#records.get(address.pk)
    if (known !== undefined) return known
    if (liesWithin(type)) throw notIndexed(type, ['id'])
    const stored = await this.recordFailure(async () => {
      const item = await getItem(address)
      return item && fromRecordItem(item)
    })
    return stored === undefined ? { stored, current: undefined } : this.#remember(stored)
  }

  /** Earlier reads and writes of this unit take precedence over the table. */
  #remember(stored: StoredRecord): TrackedRecord {
    const { pk } = recordAddress(stored.tenant, stored.type, stored.id)
    const tracked = this.#records.get(pk) ?? { stored, current: stored }
    this.#records.set(pk, tracked)
    return tracked
  }
}

const entriesOf = async ({ pk, newest }: Partition): Promise<PartitionPage> =>
  newest === undefined ? { items: await queryAll(pk) } : queryPage(pk, { limit: newest, descending: true })

const compare = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0)

const at = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`
