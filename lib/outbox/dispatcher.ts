/** The dispatcher: wakes the lanes of items that were committed. It is the guarantee behind the wake-ups that functions send themselves. */
import type { DynamoDBRecord } from 'aws-lambda'
import { type CommittedItem, wakeCommitted } from './queues.ts'

/** The lane of an inserted item, by the kind of the item: whatever waits in a lane has the lane's name as its partition. */
const committedItem = (
  { eventName, dynamodb }: DynamoDBRecord,
  kinds: readonly string[],
): CommittedItem | undefined => {
  const { pk, sk, kind } = dynamodb?.NewImage ?? {}
  if (eventName !== 'INSERT' || !kinds.includes(kind?.S ?? '') || !pk?.S || !sk?.S) return undefined
  return { lane: pk.S, itemId: sk.S }
}

/**
 * Wakes the lanes of the items among these changes. Returns the sequence number of the first change whose lane was not woken: it and all
 * behind it come again, and the queue drops what it has taken already.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export const dispatchLanes = async (
  records: DynamoDBRecord[],
  kinds: readonly string[],
): Promise<string | undefined> => {
  const committed = records.flatMap((record) => {
    const item = committedItem(record, kinds)
    return item === undefined ? [] : [{ item, sequence: record.dynamodb?.SequenceNumber ?? '' }]
  })
  if (committed.length === 0) return undefined
  const taken = await wakeCommitted(committed.map(({ item }) => item))
  const first = taken.indexOf(false)
  return first === -1 ? undefined : committed[first]?.sequence
}
