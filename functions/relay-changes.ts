/** Committed changes of the table → what leaves because of them → the queues. */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { leavingMessages } from '../lib/delivery/leaving-messages.ts'
import { queueUrl } from '../lib/delivery/queue.ts'
import { type Leaving, relay } from '../lib/delivery/relay.ts'

/** Reports the first change that did not get through; the stream comes again from there. */
export const relayChanges = async ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
  const toWallets = queueUrl('MESSAGE_QUEUE_URL')
  const leaving: Leaving = (record) => leavingMessages(record, toWallets)
  const failed = await relay(Records, leaving)
  return { batchItemFailures: failed === undefined ? [] : [{ itemIdentifier: failed }] }
}
