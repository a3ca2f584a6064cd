/** The version of a table's layout: looked up before anything is changed, and written to a table that is new. */
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { LAYOUT_ITEM, LAYOUT_KEY, layoutFlaw } from '../lib/store/layout.ts'

export interface TableLayout {
  /** What is wrong with the table; undefined: nothing, or nothing is in it. */
  flaw: string | undefined
  isEmpty: boolean
}

/** Reads a table that there is: whether it has items first, because another process may write the version meanwhile. */
export const readLayout = async (client: DynamoDBClient, TableName: string): Promise<TableLayout> => {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, Limit: 1, ConsistentRead: true }))
  if (Items.length === 0) return { flaw: undefined, isEmpty: true }
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: LAYOUT_KEY, ConsistentRead: true }))
  return { flaw: layoutFlaw(Item), isEmpty: false }
}

/** Writes the version to an empty table. Returns what is wrong with any other; undefined: nothing. */
export const ensureLayout = async (client: DynamoDBClient, TableName: string): Promise<string | undefined> => {
  const { flaw, isEmpty } = await readLayout(client, TableName)
  if (!isEmpty) return flaw
  const ConditionExpression = 'attribute_not_exists(pk)'
  await client.send(new PutItemCommand({ TableName, Item: LAYOUT_ITEM, ConditionExpression })).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  })
  return undefined
}
