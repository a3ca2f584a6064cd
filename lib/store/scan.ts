/** Scans the whole table, for operators' tools. No function has the permission. */
import { DescribeTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { settings } from '../settings.ts'
import { dynamodb } from './client.ts'
import { type Condition, expressionsOf } from './conditions.ts'
import { type Item, isLive, withStoreErrors } from './table.ts'

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
