/**
 * The part of DynamoDB that this service uses, in this process: much faster than a database. Requests of each kind have
 * the same responses as from the embedded database (test/unit/store/memory-dynamo.test.ts).
 */
import { setImmediate as immediate } from 'node:timers/promises'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import type { Item } from '../../../lib/store/table.ts'
import { applyUpdate, awsError, holds, invalid, type Placeholders } from './expressions.ts'
import { Sorted } from './sorted.ts'

/** Input of a request, as JSON or in the SDK's form. */
export type Input = Readonly<Record<string, unknown>>

interface Write extends Placeholders {
  Key?: Item
  Item?: Item
  ConditionExpression?: string
  UpdateExpression?: string
  ReturnValues?: string
  ReturnValuesOnConditionCheckFailure?: string
}

type Operation = 'Put' | 'Update' | 'Delete'

/** An item before and after a write; undefined: it does not exist. */
export interface ItemChange {
  before: Item | undefined
  after: Item | undefined
}

interface Scan extends Placeholders {
  FilterExpression?: string
  ProjectionExpression?: string
  Limit?: number
  ExclusiveStartKey?: Item
}

interface Transaction {
  TransactItems: Record<Operation, Write>[]
  ClientRequestToken?: string
}

interface Query extends Placeholders {
  IndexName?: string
  KeyConditionExpression: string
  Limit?: number
  ScanIndexForward?: boolean
  ExclusiveStartKey?: Item
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const MAX_ITEM_BYTES = 400 * 1024
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
const MAX_TRANSACTION_ITEMS = 100
const MAX_PAGE_BYTES = 1024 * 1024
const MAX_NUMBER_BYTES = 21

/**
 * Ms for which a request with a used token is a retry.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
const TOKEN_LIFETIME_MS = 10 * 60_000

/** The keys and the index of infra/table.yml. Only the queries of lib/store/table.ts are supported. */
export const KEYS = {
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'due',
      KeySchema: [
        { AttributeName: 'dueShard', KeyType: 'HASH' },
        { AttributeName: 'dueAt', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['kind', 'lane', 'destination', 'epoch'] },
    },
  ],
}
const PROJECTED = ['pk', 'sk', 'dueShard', 'dueAt', 'kind', 'lane', 'destination', 'epoch']
const PARTITION_QUERY = /^pk = :pk( AND sk (>= :from|<= :to|BETWEEN :from AND :to))?$/
const INDEX_QUERY = /^(dueShard|#shard) = :shard AND (dueAt|#time) <= :until$/

/** Length of bytes from HTTP, which are base64, or from the SDK. */
const lengthOf = (bytes: Uint8Array | string): number =>
  typeof bytes === 'string' ? Buffer.byteLength(bytes, 'base64') : bytes.byteLength

const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, { S, N, B }]) => {
    const number = Math.min(N?.length ?? 1, MAX_NUMBER_BYTES)
    const value = S !== undefined ? Buffer.byteLength(S) : B !== undefined ? lengthOf(B) : number
    return sum + Buffer.byteLength(name) + value
  }, 0)

/** After all sort keys. */
const LAST = '\uffff'

const addressOf = (write: Write): { pk: string; sk: string } => {
  const { pk, sk } = write.Key ?? write.Item ?? {}
  return { pk: pk?.S ?? '', sk: sk?.S ?? '' }
}

const partOf = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]] as const])))

/** The stored item in the error of a failed condition, if it is requested. */
const requestedOldItem = ({ ReturnValuesOnConditionCheckFailure: returned }: Write, Item: Item | undefined) =>
  returned === 'ALL_OLD' && Item !== undefined ? { Item } : {}

/** The sort key of an index entry: time, then key. */
const indexKey = ({ dueAt, pk, sk }: Item): string => `${(dueAt?.N ?? '').padStart(20, '0')} ${pk?.S} ${sk?.S}`

export class MemoryTable {
  /** Called with each change, in their order. */
  onChange: ((change: ItemChange) => void) | undefined
  /** Tokens of written transactions, with the time, oldest first. */
  readonly #tokens = new Map<string, number>()
  readonly #partitions = new Map<string, Sorted<Item>>()
  readonly #due = new Map<string, Sorted<Item>>()

  clear(): void {
    this.#partitions.clear()
    this.#due.clear()
  }

  putAll(items: readonly Item[]): Promise<void> {
    for (const item of items) this.#store(addressOf({ Item: item }), item)
    return Promise.resolve()
  }

  *items(): Generator<Item> {
    for (const partition of this.#partitions.values()) yield* partition.between('', LAST)
  }

  /** The response to a command of the SDK. Throws DynamoDB's error if a condition does not hold. */
  execute = async (name: string, input: Input): Promise<object> => {
    // Like a database's response, it arrives after all running tasks have done their work that does not need it.
    await immediate()
    if (name === 'GetItem') return { Item: this.#get(addressOf(input as Write)) }
    if (name === 'Query') return this.#query(input as unknown as Query)
    if (name === 'BatchGetItem') return this.#getAll(input.RequestItems as Record<string, { Keys: Item[] }>)
    if (name === 'TransactWriteItems') return this.#transact(input as unknown as Transaction)
    if (name === 'Scan') return this.#scan(input as Scan)
    if (name === 'BatchWriteItem') return this.#putBatch(input.RequestItems as Record<string, { PutRequest: Write }[]>)
    const operation = /^(Put|Update|Delete)Item$/.exec(name)?.[1] as Operation | undefined
    if (operation === undefined) throw awsError('UnknownOperationException', name)
    return this.#write(operation, input as Write)
  }

  #get({ pk, sk }: { pk: string; sk: string }): Item | undefined {
    return this.#partitions.get(pk)?.get(sk)
  }

  #getAll(requests: Record<string, { Keys: Item[] }>): object {
    const found = ([table, { Keys }]: [string, { Keys: Item[] }]) => {
      const addresses = Keys.map((Key) => addressOf({ Key }))
      if (new Set(addresses.map(({ pk, sk }) => `${pk} ${sk}`)).size < Keys.length) throw invalid('a key twice')
      return [table, addresses.map((address) => this.#get(address)).filter((item) => item !== undefined)]
    }
    return { Responses: Object.fromEntries(Object.entries(requests).map(found)), UnprocessedKeys: {} }
  }

  #query(query: Query): object {
    const { ExpressionAttributeValues: values = {}, Limit = Number.POSITIVE_INFINITY, ExclusiveStartKey: start } = query
    const isIndex = query.IndexName === 'due'
    if (!(isIndex ? INDEX_QUERY : PARTITION_QUERY).test(query.KeyConditionExpression))
      throw invalid(`not supported in memory: ${query.KeyConditionExpression}`)
    const entries = isIndex ? this.#due.get(values[':shard']?.S ?? '') : this.#partitions.get(values[':pk']?.S ?? '')
    const from = values[':from']?.S ?? ''
    const to = isIndex ? `${(values[':until']?.N ?? '').padStart(20, '0')} ${LAST}` : (values[':to']?.S ?? LAST)
    const Items: Item[] = []
    let bytes = 0
    const options = {
      descending: query.ScanIndexForward === false,
      ...(start && { after: isIndex ? indexKey(start) : (start.sk?.S ?? '') }),
    }
    for (const item of entries?.between(from, to, options) ?? []) {
      Items.push(item)
      bytes += sizeOf(item)
      if (Items.length < Limit && bytes < MAX_PAGE_BYTES) continue
      const { pk, sk, dueShard, dueAt } = item
      return { Items, LastEvaluatedKey: isIndex ? { pk, sk, dueShard, dueAt } : { pk, sk } }
    }
    return { Items }
  }

  #scan({ FilterExpression, ProjectionExpression, Limit, ExclusiveStartKey, ...placeholders }: Scan): object {
    const names = ProjectionExpression?.split(', ')
    const Items: Item[] = []
    let [count, bytes] = [0, 0]
    for (const item of this.#itemsAfter(ExclusiveStartKey)) {
      if (holds(FilterExpression, item, placeholders)) Items.push(names === undefined ? item : partOf(item, names))
      count += 1
      bytes += sizeOf(item)
      if (count === Limit || bytes >= MAX_PAGE_BYTES) return { Items, LastEvaluatedKey: partOf(item, ['pk', 'sk']) }
    }
    return { Items }
  }

  *#itemsAfter(key: Item | undefined): Generator<Item> {
    const start = addressOf({ Key: key ?? {} })
    const pks = [...this.#partitions.keys()].filter((pk) => pk >= start.pk).toSorted()
    for (const pk of pks)
      yield* this.#partitions.get(pk)?.between('', LAST, pk === start.pk ? { after: start.sk } : {}) ?? []
  }

  #putBatch(requests: Record<string, { PutRequest: Write }[]>): object {
    for (const { PutRequest } of Object.values(requests).flat()) this.#write('Put', PutRequest)
    return { UnprocessedItems: {} }
  }

  #write(operation: Operation, write: Write): object {
    const address = addressOf(write)
    const found = this.#get(address)
    if (!holds(write.ConditionExpression, found, write))
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...requestedOldItem(write, found),
      })
    const item = this.#after(operation, write)
    this.#store(address, item)
    return write.ReturnValues === 'ALL_NEW' ? { Attributes: item } : {}
  }

  #transact({ TransactItems, ClientRequestToken: token = '' }: Transaction): object {
    for (const [old, time] of this.#tokens) {
      if (time > Date.now() - TOKEN_LIFETIME_MS) break
      this.#tokens.delete(old)
    }
    // The SDK retries a request whose response was lost.
    if (this.#tokens.has(token)) return {}
    const writes = TransactItems.flatMap((item) => Object.entries(item) as [Operation, Write][])
    const addresses = writes.map(([, write]) => JSON.stringify(addressOf(write)))
    if (new Set(addresses).size < addresses.length) throw invalid('an item twice')
    const bytes = writes.reduce((sum, [, write]) => sum + sizeOf(write.Item ?? write.Key ?? {}), 0)
    if (writes.length > MAX_TRANSACTION_ITEMS || bytes > MAX_TRANSACTION_BYTES) throw invalid('a transaction too large')
    const reasons = writes.map((write) => this.#cancellationReason(...write))
    if (reasons.some(({ Code }) => Code !== 'None'))
      throw Object.assign(awsError('TransactionCanceledException', 'cancelled'), { CancellationReasons: reasons })
    const items = writes.map(([operation, write]) => this.#after(operation, write))
    for (const [at, [, write]] of writes.entries()) this.#store(addressOf(write), items[at])
    if (token !== '') this.#tokens.set(token, Date.now())
    return {}
  }

  /** Why a transaction with the write would be cancelled. */
  #cancellationReason(operation: Operation, write: Write): { Code: string; Item?: Item | undefined } {
    const found = this.#get(addressOf(write))
    if (!holds(write.ConditionExpression, found, write))
      return { Code: 'ConditionalCheckFailed', ...requestedOldItem(write, found) }
    try {
      this.#changed(operation, write)
      return { Code: 'None' }
    } catch {
      return { Code: 'ValidationError' }
    }
  }

  /** The item after the write. Throws if it is too large. */
  #after(operation: Operation, write: Write): Item | undefined {
    const item = this.#changed(operation, write)
    if (sizeOf(item ?? {}) > MAX_ITEM_BYTES) throw invalid('Item size has exceeded the maximum allowed size')
    return item
  }

  #changed(operation: Operation, write: Write): Item | undefined {
    if (operation === 'Delete') return undefined
    const { Key = {}, UpdateExpression = '' } = write
    return operation === 'Put' ? write.Item : applyUpdate(UpdateExpression, this.#get(addressOf(write)) ?? Key, write)
  }

  #store({ pk, sk }: { pk: string; sk: string }, item: Item | undefined): void {
    const partition = this.#partitions.get(pk) ?? new Sorted<Item>()
    const before = partition.get(sk)
    this.onChange?.({ before, after: item })
    if (before?.dueShard?.S !== undefined) this.#due.get(before.dueShard.S)?.delete(indexKey(before))
    if (item === undefined) partition.delete(sk)
    else partition.set(sk, item)
    if (partition.size === 0) this.#partitions.delete(pk)
    else this.#partitions.set(pk, partition)
    if (item?.dueShard?.S === undefined || item.dueAt === undefined) return
    const shard = this.#due.get(item.dueShard.S) ?? new Sorted<Item>()
    this.#due.set(item.dueShard.S, shard)
    shard.set(indexKey(item), partOf(item, PROJECTED))
  }
}
