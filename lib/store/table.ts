/** Strongly consistent reads, without expired items. Errors of AWS become errors of the store (aws-errors.ts). */
import { setTimeout as delay } from 'node:timers/promises'
import {
  type AttributeValue,
  BatchGetItemCommand,
  GetItemCommand,
  type KeysAndAttributes,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import { toStoreError } from './aws-errors.ts'
import { dynamodb } from './client.ts'
import type { Address } from './keys.ts'

export type { AttributeValue } from '@aws-sdk/client-dynamodb'

export type Item = Record<string, AttributeValue>

/** BatchGetItem takes at most 100 keys. */
const MAX_BATCH_KEYS = 100

export const toKey = ({ pk, sk }: Address): Item => ({ pk: { S: pk }, sk: { S: sk } })

/** The address of an item that was read. */
export const addressOf = ({ pk, sk }: Item): Address => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' })

export const epochSeconds = (now = Date.now()): number => Math.floor(now / 1000)

/** DynamoDB may delete expired items days later. `expiresAt` is in epoch seconds. */
export const isLive = (item: Item | undefined, now = epochSeconds()): item is Item =>
  item !== undefined && (item.expiresAt?.N === undefined || Number(item.expiresAt.N) > now)

export const withStoreErrors = async <T>(send: () => Promise<T>): Promise<T> => {
  try {
    return await send()
  } catch (error) {
    throw toStoreError(error)
  }
}

/** One item; undefined if there is none or it has expired. */
export const getItem = async (address: Address): Promise<Item | undefined> => {
  const { Item } = await withStoreErrors(() =>
    dynamodb().send(
      new GetItemCommand({ TableName: settings().TABLE_NAME, Key: toKey(address), ConsistentRead: true }),
    ),
  )
  return isLive(Item) ? Item : undefined
}

/** The items at the addresses, in no particular order. */
export const getItems = async (addresses: Address[]): Promise<Item[]> => {
  const [only] = addresses
  if (only !== undefined && addresses.length === 1) {
    const item = await getItem(only)
    return item === undefined ? [] : [item]
  }
  const chunks = Array.from({ length: Math.ceil(addresses.length / MAX_BATCH_KEYS) }, (_, chunk) =>
    addresses.slice(chunk * MAX_BATCH_KEYS, (chunk + 1) * MAX_BATCH_KEYS),
  )
  return (await Promise.all(chunks.map(getBatch))).flat()
}

/** Retries for unprocessed keys, and the maximum pause before the first one in ms, doubled each time. */
const MAX_RETRIES = 6
const MAX_PAUSE_MS = 50

/**
 * A response has unprocessed keys if the items exceed 16 MB or the table's capacity: they are requested again, after a
 * pause with full jitter.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
 */
const getBatch = async (addresses: Address[]): Promise<Item[]> => {
  const table = settings().TABLE_NAME
  const items: Item[] = []
  let RequestItems: Record<string, KeysAndAttributes> = {
    [table]: { Keys: addresses.map(toKey), ConsistentRead: true },
  }
  for (let retry = 0; ; retry++) {
    const response = await withStoreErrors(() => dynamodb().send(new BatchGetItemCommand({ RequestItems })))
    items.push(...(response.Responses?.[table] ?? []).filter((item) => isLive(item)))
    RequestItems = response.UnprocessedKeys ?? {}
    if (Object.keys(RequestItems).length === 0) return items
    if (retry === MAX_RETRIES) throw new AgentError('store.unavailable', 'DynamoDB left keys unprocessed')
    await delay(Math.random() * MAX_PAUSE_MS * 2 ** retry)
  }
}

export interface PartitionRead {
  /** The maximum number of items; a page also ends at 1 MB. */
  limit?: number | undefined
  /** The sort key to continue after. */
  after?: string | undefined
  descending?: boolean
  /** First and last sort key, both inclusive. */
  from?: string | undefined
  to?: string | undefined
}

export interface PartitionPage {
  items: Item[]
  /** The sort key to continue after; absent at the end of the partition. */
  next?: string | undefined
}

/** One page of a partition, in the order of its sort keys. */
export const queryPage = async (
  pk: string,
  { limit, after, descending, from, to }: PartitionRead = {},
): Promise<PartitionPage> => {
  const { Items = [], LastEvaluatedKey } = await withStoreErrors(() =>
    dynamodb().send(
      new QueryCommand({
        TableName: settings().TABLE_NAME,
        KeyConditionExpression: `pk = :pk${sortKeyCondition(from, to)}`,
        ExpressionAttributeValues: {
          ':pk': { S: pk },
          ...(from === undefined ? {} : { ':from': { S: from } }),
          ...(to === undefined ? {} : { ':to': { S: to } }),
        },
        ScanIndexForward: descending !== true,
        ConsistentRead: true,
        Limit: limit,
        ExclusiveStartKey: after === undefined ? undefined : toKey({ pk, sk: after }),
      }),
    ),
  )
  return { items: Items.filter((item) => isLive(item)), next: LastEvaluatedKey?.sk?.S }
}

/** The condition on the sort key: DynamoDB accepts only one. */
const sortKeyCondition = (from: string | undefined, to: string | undefined): string => {
  if (from !== undefined && to !== undefined) return ' AND sk BETWEEN :from AND :to'
  if (from !== undefined) return ' AND sk >= :from'
  return to === undefined ? '' : ' AND sk <= :to'
}

interface IndexPage {
  /** Keys and projected attributes of the items. */
  items: Item[]
  /** Where to continue (`after`); undefined at the end of the shard. */
  next: Item | undefined
}

/**
 * Items of a shard of the index `due` up to a time (ms since the epoch), earliest first. An index is eventually
 * consistent, so callers read the item itself.
 */
export const queryDue = async (
  shard: string,
  until: number,
  { limit, after }: { limit?: number; after?: Item | undefined } = {},
): Promise<IndexPage> => {
  const { Items = [], LastEvaluatedKey } = await withStoreErrors(() =>
    dynamodb().send(
      new QueryCommand({
        TableName: settings().TABLE_NAME,
        IndexName: 'due',
        KeyConditionExpression: 'dueShard = :shard AND dueAt <= :until',
        ExpressionAttributeValues: { ':shard': { S: shard }, ':until': { N: String(until) } },
        Limit: limit,
        ExclusiveStartKey: after,
      }),
    ),
  )
  return { items: Items, next: LastEvaluatedKey }
}

/** The pages of a partition, in the order of its sort keys. `limit`: the maximum number of items of each. */
export async function* queryPages(pk: string, limit?: number): AsyncGenerator<Item[]> {
  let after: string | undefined
  do {
    const { items, next } = await queryPage(pk, { limit, after })
    yield items
    after = next
  } while (after !== undefined)
}

/** A whole partition. */
export const queryAll = async (pk: string): Promise<Item[]> => {
  const items: Item[] = []
  for await (const page of queryPages(pk)) items.push(...page)
  return items
}
