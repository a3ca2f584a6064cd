/** All records of the table as they are now: what an attack must not change. */
import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { plainItem } from '../../../lib/store/plain-item.ts'

/** Contents by address, as they are stored: most are compared and never read. */
type Records = Map<string, AttributeValue | undefined>

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
      if (kind?.S === 'record' || kind?.S === 'entry') records.set(`${pk?.S} ${sk?.S}`, content)
  return records
}

const textOf = (content: AttributeValue | undefined): string =>
  JSON.stringify(plainItem(content === undefined ? {} : { content }))

const isSame = (one: AttributeValue | undefined, other: AttributeValue | undefined): boolean =>
  one?.B !== undefined && other?.B !== undefined
    ? Buffer.compare(one.B, other.B) === 0
    : JSON.stringify(one) === JSON.stringify(other)

/** What was written and deleted in between. */
export const changesSince = (before: Records, after: Records): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((address) => {
    const [one, other] = [before, after].map((records) => records.get(address))
    if (before.has(address) === after.has(address) && isSame(one, other)) return []
    const [was, is] = [before, after].map((records) =>
      records.has(address) ? textOf(records.get(address)) : 'nothing',
    )
    return was === is ? [] : [`${address}: ${was} became ${is}`]
  })
