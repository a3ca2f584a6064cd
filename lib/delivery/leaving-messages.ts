/** Which messages to wallets leave because of a change: a pointer to each new outbox item. */
import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { OUTBOX_KIND } from './outbox-item.ts'
import { queueId, writePointer } from './pointer.ts'
import type { QueueMessage } from './queue.ts'

const Text = v.object({ S: v.string() })
const Keys = v.object({ pk: Text, sk: Text })

/**
 * One pointer for an inserted outbox item, nothing for any other change. Messages of one connection are one group of
 * the queue, so they arrive in the order of their commits. Throws when the item has no proper keys.
 */
export const leavingMessages = ({ eventName, dynamodb }: DynamoDBRecord, queueUrl: string): QueueMessage[] => {
  if (eventName !== 'INSERT' || dynamodb?.NewImage?.kind?.S !== OUTBOX_KIND) return []
  const { pk, sk } = v.parse(Keys, dynamodb.NewImage)
  const address = { pk: pk.S, sk: sk.S }
  return [{ queueUrl, group: queueId(address.pk), id: queueId(address.pk, address.sk), body: writePointer(address) }]
}
