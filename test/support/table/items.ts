/** Items of a table as they are now, by what their partition keys begin with. */
import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import type { Image } from '../../../lib/store/item.ts'
import { unpack } from '../../../lib/store/packing/packed-text.ts'

export const itemsOf = async (
  { client, table }: { client: DynamoDBClient; table: string },
  prefix: string,
): Promise<Record<string, AttributeValue>[]> => {
  const found: Record<string, AttributeValue>[] = []
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    found.push(...Items.filter(({ pk }) => pk?.S?.startsWith(prefix)))
  return found
}

/** What the attributes of an item say, to look for what must not be there: packed texts in plain, other bytes as Latin-1. */
export const textsOf = (item: Image): string[] =>
  Object.values(item).map(({ S, B }) => {
    const bytes = typeof B === 'string' ? Buffer.from(B, 'base64') : Buffer.from(B ?? [])
    try {
      return S ?? unpack(bytes)
    } catch {
      return bytes.toString('latin1')
    }
  })
