/** The version of a table's layout: read before a deployment changes anything, and written to a new table. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { LAYOUT_ITEM, LAYOUT_KEY, layoutMismatch } from '../lib/store/layout.ts'

export interface TableLayout {
  /** How the table's layout differs; undefined: it does not, or the table is empty. */
  mismatch: string | undefined
  isEmpty: boolean
}

/** Reads an existing table: first whether it has items, because another process may write the version meanwhile. */
export const readLayout = async (client: DynamoDBClient, TableName: string): Promise<TableLayout> => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, Limit: 1, ConsistentRead: true }))
  if (Items.length === 0) return { mismatch: undefined, isEmpty: true }
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: LAYOUT_KEY, ConsistentRead: true }))
  return { mismatch: layoutMismatch(Item), isEmpty: false }
}

/** Writes the version to an empty table. Returns how the layout of any other table differs; undefined: it does not. */
export const ensureLayout = async (client: DynamoDBClient, TableName: string): Promise<string | undefined> => {
  const { mismatch, isEmpty } = await readLayout(client, TableName)
  if (!isEmpty) return mismatch
  const ConditionExpression = 'attribute_not_exists(pk)'
  await client.send(new PutItemCommand({ TableName, Item: LAYOUT_ITEM, ConditionExpression })).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  })
  return undefined
}
