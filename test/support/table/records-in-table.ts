/** All records of the table as they are now: what an attack must not change. */
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { plainItem } from '../../../lib/store/plain-item.ts'

/** Contents by address. */
type Records = Map<string, string>

/** Records and their index entries. Marks and outboxes are left out: a sender that is refused may be told so. */
export const recordsInTable = async ({
  client,
  table,
}: {
  client: DynamoDBClient
  table: string
}): Promise<Records> => {
  const records: Records = new Map()
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    for (const { pk, sk, kind, content } of Items)
      if (kind?.S === 'record' || kind?.S === 'entry')
        records.set(`${pk?.S} ${sk?.S}`, JSON.stringify(plainItem(content === undefined ? {} : { content })))
  return records
}

/** What was written and deleted in between. */
export const changesSince = (before: Records, after: Records): string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((address) => before.get(address) !== after.get(address))
    .map((address) => `${address}: ${before.get(address) ?? 'nothing'} became ${after.get(address) ?? 'nothing'}`)
