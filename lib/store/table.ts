/** Reads of the table: strongly consistent, blind to expired items, with AWS's failures told apart. */
import {
  type AttributeValue,
  BatchGetItemCommand,
  GetItemCommand,
  type KeysAndAttributes,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import type { Address } from './address.ts'
import { dynamodb } from './client.ts'

export type Item = Record<string, AttributeValue>

/** BatchGetItem takes at most 100 keys. */
const BATCH = 100

export const toKey = ({ pk, sk }: Address): Item => ({ pk: { S: pk }, sk: { S: sk } })

export const epochSeconds = (now = Date.now()): number => Math.floor(now / 1000)

/** TTL deletes within days, so an expired item may still be there. Expiry is `expiresAt`, in epoch seconds. */
export const isLive = (item: Item | undefined, now = epochSeconds()): item is Item =>
  item !== undefined && (item.expiresAt?.N === undefined || Number(item.expiresAt.N) > now)

/** Names of errors that pass: throttled, out of time, AWS's own. */
const PASSING = /Throttl|Throughput|RequestLimit|Timeout|InternalServer|ServiceUnavailable/
/** Codes of Node's for a way that is broken; `HPE_` is what its HTTP parser could not read. */
const BROKEN_WAY = /^(ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|HPE_)|SOCKET/

interface Fault {
  $fault?: string
  $metadata?: { httpStatusCode?: number }
  code?: unknown
}

/** A fault of AWS or of the way to it becomes `store.unavailable`; anything else is ours and stays as it is. */
export const translateFault = (error: unknown): unknown => {
  if (!(error instanceof Error) || error instanceof AgentError) return error
  const { $fault, $metadata, code } = error as Error & Fault
  const passing =
    $fault === 'server' ||
    Number($metadata?.httpStatusCode) >= 500 ||
    PASSING.test(error.name) ||
    (typeof code === 'string' && BROKEN_WAY.test(code))
  return passing ? new AgentError('store.unavailable', 'the table does not answer', { cause: error }) : error
}

const attempt = async <T>(send: () => Promise<T>): Promise<T> => {
  try {
    return await send()
  } catch (error) {
    throw translateFault(error)
  }
}

/** One item, or undefined where there is none or it has expired. */
export const getItem = async (address: Address): Promise<Item | undefined> => {
  const { Item } = await attempt(() =>
    dynamodb().send(
      new GetItemCommand({ TableName: settings().TABLE_NAME, Key: toKey(address), ConsistentRead: true }),
    ),
  )
  return isLive(Item) ? Item : undefined
}

/** The items at the addresses, in no promised order. */
export const getItems = async (addresses: Address[]): Promise<Item[]> => {
  const [only] = addresses
  if (only !== undefined && addresses.length === 1) {
    const item = await getItem(only)
    return item === undefined ? [] : [item]
  }
  const chunks = Array.from({ length: Math.ceil(addresses.length / BATCH) }, (_, chunk) =>
    addresses.slice(chunk * BATCH, (chunk + 1) * BATCH),
  )
  return (await Promise.all(chunks.map(getBatch))).flat()
}

const getBatch = async (addresses: Address[]): Promise<Item[]> => {
  const table = settings().TABLE_NAME
  const items: Item[] = []
  let wanted: Record<string, KeysAndAttributes> = { [table]: { Keys: addresses.map(toKey), ConsistentRead: true } }
  while (Object.keys(wanted).length > 0) {
    const answer = await attempt(() => dynamodb().send(new BatchGetItemCommand({ RequestItems: wanted })))
    items.push(...(answer.Responses?.[table] ?? []).filter((item) => isLive(item)))
    wanted = answer.UnprocessedKeys ?? {}
  }
  return items
}

export interface PartitionRead {
  /** Items at most; a page also ends at 1 MB. */
  limit?: number
  /** The sort key to go on after. */
  after?: string
  descending?: boolean
}

export interface PartitionPage {
  items: Item[]
  /** The sort key to go on after; absent at the end of the partition. */
  next?: string
}

/** One page of a partition, in the order of its sort keys. */
export const queryPage = async (
  pk: string,
  { limit, after, descending }: PartitionRead = {},
): Promise<PartitionPage> => {
  const { Items = [], LastEvaluatedKey } = await attempt(() =>
    dynamodb().send(
      new QueryCommand({
        TableName: settings().TABLE_NAME,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: pk } },
        ScanIndexForward: descending !== true,
        ConsistentRead: true,
        ...(limit === undefined ? {} : { Limit: limit }),
        ...(after === undefined ? {} : { ExclusiveStartKey: toKey({ pk, sk: after }) }),
      }),
    ),
  )
  const items = Items.filter((item) => isLive(item))
  const next = LastEvaluatedKey?.sk?.S
  return next === undefined ? { items } : { items, next }
}

/** A whole partition. */
export const queryAll = async (pk: string): Promise<Item[]> => {
  const items: Item[] = []
  let after: string | undefined
  do {
    const page = await queryPage(pk, after === undefined ? {} : { after })
    items.push(...page.items)
    after = page.next
  } while (after !== undefined)
  return items
}
