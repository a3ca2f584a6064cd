/** The queues: an SQS client with bounded waits, sending in order, hiding what is to be tried later. */
import { ChangeMessageVisibilityBatchCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { AgentError } from '../errors.ts'
import { log } from '../log.ts'
import { settings } from '../settings.ts'

let client: SQSClient | undefined

/** Connection 1 s, request 2 s, three attempts: the SDK waits without bound by default. */
export const sqs = (): SQSClient => {
  const endpoint = settings().SQS_ENDPOINT
  client ??= new SQSClient({
    // The local queues have names of hosts in their URLs that need not resolve.
    ...(endpoint === undefined ? {} : { endpoint, useQueueUrlAsEndpoint: false }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  })
  return client
}

/** The URL of a queue that this function cannot work without. Throws `settings.invalid`. */
export const queueUrl = (name: 'MESSAGE_QUEUE_URL' | 'WEBHOOK_QUEUE_URL'): string => {
  const url = settings()[name]
  if (url === undefined) throw new AgentError('settings.invalid', `${name}: is missing`)
  return url
}

/**
 * What goes into a FIFO queue: order is kept within a group, an id that was sent in the last 5 minutes is not taken
 * again.
 */
export interface QueueMessage {
  queueUrl: string
  group: string
  id: string
  body: string
}

/** SendMessageBatch and ChangeMessageVisibilityBatch take at most 10 entries. */
export const QUEUE_BATCH = 10

/**
 * Sends messages of one queue in one call: at most `QUEUE_BATCH`, no two of a group, because a call may take the second
 * and refuse the first. Returns those that were not taken; throws when the call as a whole failed.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
export const sendTogether = async <T extends QueueMessage>(url: string, messages: T[]): Promise<T[]> => {
  const { Failed = [] } = await sqs().send(
    new SendMessageBatchCommand({
      QueueUrl: url,
      Entries: messages.map(({ group, id, body }, index) => ({
        Id: String(index),
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: id,
      })),
    }),
  )
  const failed = new Set(
    Failed.map(({ Id, Code }) => {
      log('warn', 'message not taken by the queue', { code: Code })
      return Id
    }),
  )
  return messages.filter((_, index) => failed.has(String(index)))
}

/**
 * Hides received messages for some seconds from now. When that fails they come back after the queue's own visibility
 * timeout, which is only another delay: so it is logged, not thrown.
 */
export const hide = async (url: string, receiptHandles: string[], seconds: number): Promise<void> => {
  try {
    const { Failed = [] } = await sqs().send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: url,
        Entries: receiptHandles.map((ReceiptHandle, index) => ({
          Id: String(index),
          ReceiptHandle,
          VisibilityTimeout: seconds,
        })),
      }),
    )
    for (const { Code } of Failed) log('warn', 'message not hidden', { code: Code })
  } catch (error) {
    log('warn', 'messages not hidden', { error: String(error) })
  }
}
