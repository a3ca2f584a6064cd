/** Changes of the table as a function receives them from the stream. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'

type Item = Record<string, AttributeValue>
type Image = NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>

let lastSequence = 0

/** Lambda hands bytes on as base64. */
const toImage = (item: Item): Image =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      value.B === undefined ? { ...(value as Image[string]) } : { B: Buffer.from(value.B).toString('base64') },
    ]),
  )

const change = (
  eventName: 'INSERT' | 'MODIFY' | 'REMOVE',
  before?: Item,
  after?: Item,
  notedAt = 0,
): DynamoDBRecord => ({
  eventID: `change ${++lastSequence}`,
  eventName,
  dynamodb: {
    SequenceNumber: String(lastSequence).padStart(12, '0'),
    ApproximateCreationDateTime: notedAt,
    ...(before && { OldImage: toImage(before) }),
    ...(after && { NewImage: toImage(after) }),
  },
})

/** `changedAt` in seconds since the epoch. */
export const inserted = (after: Item, notedAt?: number) => change('INSERT', undefined, after, notedAt)
export const modified = (before: Item, after: Item, notedAt?: number) => change('MODIFY', before, after, notedAt)
export const removed = (before: Item) => change('REMOVE', before)
