/** Committed changes of the table → what leaves because of them → the queues; and the events that they are → the table. */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { leavingMessages } from '../lib/delivery/leaving-messages.ts'
import { queueUrl } from '../lib/delivery/queue.ts'
import { type Leaving, relay } from '../lib/delivery/relay.ts'
import { leavingEvents } from '../lib/webhooks/leaving-events.ts'
import { relayEvents } from '../lib/webhooks/relay-events.ts'

/** Reports the first change that did not get through; the stream comes again from there. */
export const relayChanges = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const toWallets = queueUrl('MESSAGE_QUEUE_URL')
  const toEndpoints = queueUrl('WEBHOOK_QUEUE_URL')
  const leaving: Leaving = (record) => [...leavingMessages(record, toWallets), ...leavingEvents(record, toEndpoints)]
  const failed = await Promise.all([relay(Records, leaving), relayEvents(Records)])
  const first = Records.find(({ dynamodb }) => failed.includes(dynamodb?.SequenceNumber ?? ''))
  return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] }
}
