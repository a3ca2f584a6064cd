/** Scans the whole table, for operators' tools. No function has the permission. */
import { DescribeTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { settings } from '../settings.ts'
import { dynamodb } from './client.ts'
import { type Condition, expressionsOf } from './conditions.ts'
import type { Address } from './keys.ts'
import { addressOf, type Item, isLive, toKey, withStoreErrors } from './table.ts'

/** Bytes of the table, which DynamoDB updates every six hours. Throws `store.unavailable`. */
export const tableBytes = async (): Promise<number> => {
  const TableName = settings().TABLE_NAME
  const { Table } = await withStoreErrors(() => dynamodb().send(new DescribeTableCommand({ TableName })))
  return Table?.TableSizeBytes ?? 0
}

/**
 * The items that meet a condition, in no order. Reads the whole table: half a read unit for each 4 KB, about $0.02 for
 * each GB. Throws `store.unavailable`.
 */
export async function* scanItems(condition: Condition): AsyncGenerator<Item> {
  const { ConditionExpression: FilterExpression, ...expressions } = expressionsOf(condition)
  const TableName = settings().TABLE_NAME
  let ExclusiveStartKey: Item | undefined
  do {
    const { Items = [], LastEvaluatedKey } = await withStoreErrors(() =>
      dynamodb().send(new ScanCommand({ TableName, FilterExpression, ...expressions, ExclusiveStartKey })),
    )
    yield* Items.filter((item) => isLive(item))
    ExclusiveStartKey = LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
}

/**
 * The items of a page of a segment that meet a condition, with expired ones. `next`: where the segment continues;
 * undefined at its end. `units`: the read units that it took, if DynamoDB says it. Throws `store.unavailable`.
 */
export const scanSegment = async (
  condition: Condition,
  { segment, of, after }: { segment: number; of: number; after: Address | undefined },
): Promise<{ items: Item[]; next: Address | undefined; units: number | undefined }> => {
  const { ConditionExpression: FilterExpression, ...expressions } = expressionsOf(condition)
  const scan = new ScanCommand({
    ...{ TableName: settings().TABLE_NAME, FilterExpression, ...expressions, ReturnConsumedCapacity: 'TOTAL' },
    ...{ Segment: segment, TotalSegments: of, ExclusiveStartKey: after && toKey(after) },
  })
  const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await withStoreErrors(() => dynamodb().send(scan))
  return { items: Items, next: LastEvaluatedKey && addressOf(LastEvaluatedKey), units: ConsumedCapacity?.CapacityUnits }
}
