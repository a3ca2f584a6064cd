/** Conditional writes: one item, or up to 100 in a transaction. */
import { randomBytes } from 'node:crypto'
import {
  DeleteItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import {
  type Cancellation,
  cancellationOf,
  existingItem,
  isConditionFailure,
  isRetried,
  toStoreError,
} from './aws-errors.ts'
import { dynamodb } from './client.ts'
import { type Condition, expressionsOf, type ItemChange } from './conditions.ts'
import { itemBytes } from './item.ts'
import type { Address } from './keys.ts'
import { epochSeconds, type Item, toKey } from './table.ts'

/*
 * The SDK retries a request whose response was lost, so a condition may fail because of the same write's first try.
 * Where this matters, the write sets a unique value (the id of a lease, `writeId`) and compares it with the existing
 * item. Transactions have a token that DynamoDB recognizes for 10 minutes.
 */

/** No item, or an expired one that TTL has not deleted yet. */
export const absentOrExpired = (): Condition => ({
  anyOf: [{ absent: ['pk'] }, { atMost: { expiresAt: { N: String(epochSeconds()) } } }],
})

/** Writes an item over any existing one, if the condition holds. Throws `store.unavailable`, `store.conflict`. */
export const putIf = (item: Item, condition?: Condition): Promise<boolean> =>
  sendConditional(() => dynamodb().send(new PutItemCommand({ ...inTable(), Item: item, ...expressionsOf(condition) })))

/** Writes an item unless one exists, even an expired one: then false. Throws `store.unavailable`, `store.conflict`. */
export const putIfAbsent = (item: Item): Promise<boolean> => putIf(item, { absent: ['pk'] })

/**
 * Updates an item, or creates it if there is none and the condition allows that. Returns the new item; undefined if the
 * condition failed. Throws `store.unavailable`, `store.conflict`.
 */
export const updateIf = async (
  address: Address,
  change: ItemChange,
  condition?: Condition,
): Promise<Item | undefined> => {
  let item: Item | undefined
  await sendConditional(async () => {
    const { Attributes } = await dynamodb().send(new UpdateItemCommand(updateOf(address, change, condition)))
    item = Attributes
  })
  return item
}

/** Result of an update: the new item, or the existing one if the condition failed. */
export type Updated = { written: Item } | { written: undefined; existing: Item | undefined }

/**
 * Like `updateIf`, but returns the existing item if the condition failed, in the same request. Throws
 * `store.unavailable`, `store.conflict`.
 */
export const updateOrFind = async (address: Address, change: ItemChange, condition: Condition): Promise<Updated> => {
  try {
    const { Attributes = {} } = await dynamodb().send(
      new UpdateItemCommand({
        ...updateOf(address, change, condition),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    return { written: Attributes }
  } catch (error) {
    if (!isConditionFailure(error)) throw toStoreError(error)
    return { written: undefined, existing: existingItem(error) }
  }
}

/** Deletes an item. Returns false if the condition failed. Throws `store.unavailable`, `store.conflict`. */
export const removeIf = (address: Address, condition?: Condition): Promise<boolean> =>
  sendConditional(() =>
    dynamodb().send(new DeleteItemCommand({ ...inTable(), Key: toKey(address), ...expressionsOf(condition) })),
  )

/** Bytes of the attribute `writeId`, which is random: no two writes of an item have the same. */
const WRITE_ID_BYTES = 12

/**
 * Like `transact` with one put, for half of the write units. `writeId` shows that the SDK's first try, whose response
 * was lost, has written the item. `condition` must not hold for `item` itself. Throws `store.conflict` instead of
 * returning it, and `store.unavailable` if the result is unknown: the condition failed at a retry, and the item, if
 * there is one, is of another write.
 */
export const putSingle = async (item: Item, condition: Condition): Promise<TransactionResult> => {
  const writeId = randomBytes(WRITE_ID_BYTES)
  const Item: Item = { ...item, writeId: { B: writeId } }
  if (itemBytes(Item) > MAX_ITEM_BYTES) return transact([{ put: item, condition }])
  const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const
  try {
    await dynamodb().send(new PutItemCommand({ ...inTable(), Item, ...expressionsOf(condition), ...returned }))
    return { written: true }
  } catch (cause) {
    if (!isConditionFailure(cause)) throw toStoreError(cause)
    const existingWriteId = existingItem(cause)?.writeId?.B
    if (existingWriteId !== undefined && writeId.equals(existingWriteId)) return { written: true }
    if (isRetried(cause)) throw new AgentError('store.unavailable', 'a response of DynamoDB was lost', { cause })
    return { written: false, failed: [0], conflict: false, cause }
  }
}

/** One write of a transaction. `orSkip`: if its condition fails, the others are written without it. */
export type TableWrite =
  | { put: Item; condition?: Condition }
  | { update: Address; change: ItemChange; condition?: Condition | undefined; orSkip?: boolean }
  | { remove: Address; condition?: Condition }

/** The result of a transaction. `cause`: the error of the SDK. */
export type TransactionResult = { written: true } | ({ written: false; cause: unknown } & Cancellation)

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
const MAX_WRITES = 100
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items */
export const MAX_ITEM_BYTES = 400 * 1024

/**
 * Writes all or nothing; without writes there is no request. If nothing was written, `failed` has the indexes of the
 * writes whose condition failed, and `conflict` says whether another transaction was writing one of the items. Throws
 * `store.unavailable`, and before the request `store.item_too_large` and `store.transaction_too_large`.
 */
export const transact = async (writes: readonly TableWrite[]): Promise<TransactionResult> => {
  if (writes.length === 0) return { written: true }
  checkLimits(writes)
  const result = await transactOnce(writes)
  if (result.written) return result
  const skips = (index: number): boolean => {
    const write = writes[index]
    return write !== undefined && 'update' in write && write.orSkip === true
  }
  const failed = result.failed.filter((index) => !skips(index))
  if (failed.length > 0 || result.failed.length === 0) return { ...result, failed }
  // All others again in one transaction, so still all or nothing.
  const remaining = [...writes.keys()].filter((index) => !result.failed.includes(index))
  const retried = await transact(writes.filter((_, index) => remaining.includes(index)))
  return retried.written ? retried : { ...retried, failed: retried.failed.flatMap((index) => remaining[index] ?? []) }
}

const transactOnce = async (writes: readonly TableWrite[]): Promise<TransactionResult> => {
  try {
    await dynamodb().send(new TransactWriteItemsCommand({ TransactItems: writes.map(toTransactItem) }))
    return { written: true }
  } catch (error) {
    const cancellation = cancellationOf(error)
    if (cancellation === undefined) throw toStoreError(error)
    return { written: false, ...cancellation, cause: error }
  }
}

const checkLimits = (writes: readonly TableWrite[]): void => {
  const sizes = writes.map((write) => ('put' in write ? itemBytes(write.put) : 0))
  if (sizes.some((size) => size > MAX_ITEM_BYTES))
    throw new AgentError('store.item_too_large', 'a record would be larger than 400 KB')
  if (writes.length > MAX_WRITES || sizes.reduce((sum, size) => sum + size, 0) > MAX_TRANSACTION_BYTES)
    throw new AgentError(
      'store.transaction_too_large',
      'the change would be larger than one transaction (100 items, 4 MB)',
    )
}

const toTransactItem = (write: TableWrite): TransactWriteItem => {
  if ('put' in write) return { Put: { ...inTable(), Item: write.put, ...expressionsOf(write.condition) } }
  if ('remove' in write)
    return { Delete: { ...inTable(), Key: toKey(write.remove), ...expressionsOf(write.condition) } }
  const { UpdateExpression, ...expressions } = expressionsOf(write.condition, write.change)
  return { Update: { ...inTable(), Key: toKey(write.update), UpdateExpression, ...expressions } }
}

const updateOf = (address: Address, change: ItemChange, condition: Condition | undefined): UpdateItemCommandInput => ({
  ...inTable(),
  Key: toKey(address),
  ...expressionsOf(condition, change),
  ReturnValues: 'ALL_NEW',
})

const inTable = (): { TableName: string } => ({ TableName: settings().TABLE_NAME })

/** Sends a conditional write. Returns false if the condition failed. */
const sendConditional = async (send: () => Promise<unknown>): Promise<boolean> => {
  try {
    await send()
    return true
  } catch (error) {
    if (isConditionFailure(error)) return false
    throw toStoreError(error)
  }
}
