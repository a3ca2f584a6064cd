/** Items of a table as they are now, by what their partition keys begin with. */
import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'

export const itemsOf = async (
  { client, table }: { client: DynamoDBClient; table: string },
  prefix: string,
): Promise<Record<string, AttributeValue>[]> => {
  const found: Record<string, AttributeValue>[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    found.push(...Items.filter(({ pk }) => pk?.S?.startsWith(prefix)))
  return found
}
