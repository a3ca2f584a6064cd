/**
 * DynamoDB in this process, as far as outbound delivery uses it: a request takes a small part of the time that one to a database takes, and there
 * are millions. A simulation gives the same result on it as on the embedded database (memory-table.test.ts).
 */
import { setImmediate as immediate } from 'node:timers/promises'
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { LAYOUT_ITEM } from '../../lib/store/layout.ts'
import type { Item } from '../../lib/store/table.ts'
import { holds, type Placeholders, updated } from './expressions.ts'
import { Sorted } from './sorted.ts'
import type { Input } from './table-model.ts'

interface Write extends Placeholders {
  Key?: Item
  Item?: Item
  ConditionExpression?: string
  UpdateExpression?: string
  ReturnValues?: string
  ReturnValuesOnConditionCheckFailure?: string
}

type Operation = 'Put' | 'Update' | 'Delete'

interface Query extends Placeholders {
  IndexName?: string
  KeyConditionExpression: string
  Limit?: number
  ScanIndexForward?: boolean
  ExclusiveStartKey?: Item
}

/** After all sort keys. */
const LAST = '\uffff'

const PROJECTED = ['pk', 'sk', 'dueShard', 'dueAt', 'kind', 'lane', 'destination', 'epoch']

const addressOf = (write: Write): { pk: string; sk: string } => {
  const { pk, sk } = write.Key ?? write.Item ?? {}
  return { pk: pk?.S ?? '', sk: sk?.S ?? '' }
}

/** Sorts the entries of an index: by time, then by key. */
const indexKey = ({ dueAt, pk, sk }: Item): string => `${(dueAt?.N ?? '').padStart(20, '0')} ${pk?.S} ${sk?.S}`

export class MemoryTable {
  readonly #partitions = new Map<string, Sorted<Item>>()
  readonly #due = new Map<string, Sorted<Item>>()

  constructor() {
    void this.putAll([LAYOUT_ITEM])
  }

  clear(): Promise<void> {
    this.#partitions.clear()
    this.#due.clear()
    return this.putAll([LAYOUT_ITEM])
  }

  /** Items that no service has written. */
  putAll(items: Item[]): Promise<void> {
    for (const item of items) this.#store(addressOf({ Item: item }), item)
    return Promise.resolve()
  }

  *items(): Generator<Item> {
    for (const partition of this.#partitions.values()) yield* partition.between('', LAST)
  }

  /** The answer to a command of the SDK. Throws what DynamoDB answers with where a condition does not hold. */
  answer = async (name: string, input: Input): Promise<object> => {
    // As an answer of a database would, it comes after all that the running tasks can do without it.
    await immediate()
    if (name === 'GetItem') return { Item: this.#get(addressOf(input as Write)) }
    if (name === 'Query') return this.#query(input as unknown as Query)
    if (name === 'BatchGetItem') return this.#getAll(input.RequestItems as Record<string, { Keys: Item[] }>)
    if (name === 'TransactWriteItems') return this.#transact(input.TransactItems as Record<Operation, Write>[])
    const operation = /^(Put|Update|Delete)Item$/.exec(name)?.[1] as Operation | undefined
    if (operation === undefined) throw new Error(`not known: ${name}`)
    return this.#write(operation, input as Write)
  }

  #get({ pk, sk }: { pk: string; sk: string }): Item | undefined {
    return this.#partitions.get(pk)?.get(sk)
  }

  #getAll(requests: Record<string, { Keys: Item[] }>): object {
    const found = ([table, { Keys }]: [string, { Keys: Item[] }]) => [
      table,
      Keys.map((Key) => this.#get(addressOf({ Key }))).filter((item) => item !== undefined),
    ]
    return { Responses: Object.fromEntries(Object.entries(requests).map(found)), UnprocessedKeys: {} }
  }

  #query(query: Query): object {
    const { ExpressionAttributeValues: values = {}, Limit = Number.POSITIVE_INFINITY, ExclusiveStartKey: start } = query
    const isIndex = query.IndexName !== undefined
    const entries = isIndex ? this.#due.get(values[':shard']?.S ?? '') : this.#partitions.get(values[':pk']?.S ?? '')
    const from = values[':from']?.S ?? ''
    const to = isIndex ? `${(values[':until']?.N ?? '').padStart(20, '0')} ${LAST}` : (values[':to']?.S ?? LAST)
    const Items: Item[] = []
    const options = {
      descending: query.ScanIndexForward === false,
      ...(start && { after: isIndex ? indexKey(start) : (start.sk?.S ?? '') }),
    }
    for (const item of entries?.between(from, to, options) ?? []) {
      Items.push(item)
      if (Items.length < Limit) continue
      const { pk, sk, dueShard, dueAt } = item
      return { Items, LastEvaluatedKey: isIndex ? { pk, sk, dueShard, dueAt } : { pk, sk } }
    }
    return { Items }
  }

  #write(operation: Operation, write: Write): object {
    const address = addressOf(write)
    const found = this.#get(address)
    if (!holds(write.ConditionExpression, found, write))
      throw new ConditionalCheckFailedException({
        message: 'The conditional request failed',
        $metadata: {},
        ...(write.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && { Item: found }),
      })
    const item = this.#apply(operation, write)
    return write.ReturnValues === 'ALL_NEW' ? { Attributes: item } : {}
  }

  #transact(items: Record<Operation, Write>[]): object {
    const writes = items.flatMap((item) => Object.entries(item) as [Operation, Write][])
    const addresses = writes.map(([, write]) => JSON.stringify(addressOf(write)))
    if (new Set(addresses).size < addresses.length)
      throw Object.assign(new Error('an item twice'), { name: 'ValidationException' })
    const reasons = writes.map(([, write]) =>
      holds(write.ConditionExpression, this.#get(addressOf(write)), write) ? 'None' : 'ConditionalCheckFailed',
    )
    if (reasons.some((reason) => reason !== 'None'))
      throw Object.assign(new Error('cancelled'), {
        name: 'TransactionCanceledException',
        CancellationReasons: reasons.map((Code) => ({ Code })),
      })
    for (const [operation, write] of writes) this.#apply(operation, write)
    return {}
  }

  /** The item as it is then. */
  #apply(operation: Operation, write: Write): Item | undefined {
    const address = addressOf(write)
    const { Key = {}, UpdateExpression = '' } = write
    const item =
      operation === 'Delete'
        ? undefined
        : operation === 'Put'
          ? write.Item
          : updated(UpdateExpression, this.#get(address) ?? Key, write)
    this.#store(address, item)
    return item
  }

  #store({ pk, sk }: { pk: string; sk: string }, item: Item | undefined): void {
    const partition = this.#partitions.get(pk) ?? new Sorted<Item>()
    const before = partition.get(sk)
    if (before?.dueShard?.S !== undefined) this.#due.get(before.dueShard.S)?.delete(indexKey(before))
    if (item === undefined) partition.delete(sk)
    else partition.set(sk, item)
    if (partition.size === 0) this.#partitions.delete(pk)
    else this.#partitions.set(pk, partition)
    if (item?.dueShard?.S === undefined || item.dueAt === undefined) return
    const shard = this.#due.get(item.dueShard.S) ?? new Sorted<Item>()
    this.#due.set(item.dueShard.S, shard)
    const entries = PROJECTED.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]] as const]))
    shard.set(indexKey(item), Object.fromEntries(entries))
  }
}
