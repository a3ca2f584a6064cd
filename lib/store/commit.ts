/** One TransactWriteItems out of a unit's writes: its limits are checked before the call, its refusals told apart after. */
import {
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import { dynamodb } from './client.ts'
import { itemBytes } from './item-size.ts'
import { epochSeconds, type Item, translateFault } from './table.ts'

/** A put (`item`) or a delete (`remove`), the state that it expects, and what to throw where that is not so. */
export type Write = ({ item: Item } | { remove: Item }) & {
  /** A record's version, attributes that the item has, no live item at all, or anything. */
  expects: number | Item | 'nothing' | 'anything'
  whenBroken: () => unknown
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const MOST_ITEMS = 100
const MOST_BYTES = 4 * 1024 * 1024
/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items */
const MOST_ITEM_BYTES = 400 * 1024

/** Writes all or nothing; no call where there is nothing to write. */
export const commitWrites = async (writes: Write[]): Promise<void> => {
  if (writes.length === 0) return
  checkLimits(writes)
  try {
    await dynamodb().send(new TransactWriteItemsCommand({ TransactItems: writes.map(toTransactItem) }))
  } catch (error) {
    throw refusal(error, writes)
  }
}

const checkLimits = (writes: Write[]): void => {
  const sizes = writes.map((write) => ('item' in write ? itemBytes(write.item) : 0))
  if (sizes.some((size) => size > MOST_ITEM_BYTES))
    throw new AgentError('store.item_too_large', 'a record would be larger than 400 KB')
  if (writes.length > MOST_ITEMS || sizes.reduce((sum, size) => sum + size, 0) > MOST_BYTES)
    throw new AgentError(
      'store.transaction_too_large',
      'the change would be larger than one transaction (100 items, 4 MB)',
    )
}

const toTransactItem = (write: Write): TransactWriteItem => {
  const TableName = settings().TABLE_NAME
  const condition = conditionOf(write.expects)
  if ('item' in write) return { Put: { TableName, Item: write.item, ...condition } }
  const { pk, sk } = write.remove
  return { Delete: { TableName, Key: { ...(pk && { pk }), ...(sk && { sk }) }, ...condition } }
}

const conditionOf = (expects: Write['expects']) => {
  if (expects === 'anything') return {}
  if (expects === 'nothing')
    return {
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': { N: String(epochSeconds()) } },
    }
  if (typeof expects === 'number')
    return {
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': { N: String(expects) } },
    }
  const attributes = Object.entries(expects)
  return {
    ConditionExpression: attributes.map((_, index) => `#${index} = :${index}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(attributes.map(([name], index) => [`#${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(attributes.map(([_, value], index) => [`:${index}`, value])),
  }
}

/** What a failed transaction means. A broken expectation says more than a conflict beside it, so it is looked for first. */
const refusal = (error: unknown, writes: Write[]): unknown => {
  if (error instanceof Error && error.name === 'TransactionInProgressException') return conflicting(error)
  if (!(error instanceof TransactionCanceledException)) return translateFault(error)
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code)
  const broken = codes.indexOf('ConditionalCheckFailed')
  if (broken >= 0) return writes[broken]?.whenBroken()
  if (codes.includes('TransactionConflict')) return conflicting(error)
  if (codes.some((code) => code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded'))
    return new AgentError('store.unavailable', 'the table is throttled', { cause: error })
  return error
}

const conflicting = (cause: Error): AgentError =>
  new AgentError('store.conflict', 'the record changed at the same time', { cause })
