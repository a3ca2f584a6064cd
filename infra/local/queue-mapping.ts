/**
 * The event source mapping of a queue: handles batches concurrently, and deletes the messages that did not fail. Failed
 * messages, and all of a batch whose invocation failed, come back after the visibility timeout.
 * https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
 */
import * as v from 'valibot'
import type { QueueEvent } from '../service.ts'
import type { AwsCall } from './aws-call.ts'
import { failedItems } from './batch-failures.ts'

export interface QueueMapping {
  sqs: AwsCall
  queueUrl: string
  queueArn: string
  event: QueueEvent
  invoke(event: { Records: unknown[] }): Promise<unknown>
}

/** SQS returns at most 10 messages at a time, and waits at most 20 s for the first. */
const MAX_RECEIVED = 10
const WAIT_SECONDS = 20

/** AWS's default batch size, and its maximum of concurrent invocations of a mapping. */
const BATCH_SIZE = 10
const CONCURRENCY = 1_000

const Received = v.object({
  Messages: v.optional(
    v.array(
      v.object({
        MessageId: v.string(),
        ReceiptHandle: v.string(),
        Body: v.string(),
        MD5OfBody: v.string(),
        Attributes: v.record(v.string(), v.string()),
      }),
    ),
    [],
  ),
})

type Message = v.InferOutput<typeof Received>['Messages'][number]

const asRecord = ({ MessageId, ReceiptHandle, Body, Attributes, MD5OfBody }: Message, queueArn: string): unknown => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  attributes: Attributes,
  messageAttributes: {},
  md5OfBody: MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: queueArn.split(':')[3],
})

const batches = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** Runs until `signal` is aborted, then waits for the running batches. */
export const runQueueMapping = async (mapping: QueueMapping, signal: AbortSignal): Promise<void> => {
  const { sqs, queueUrl, event } = mapping
  const { batchSize = BATCH_SIZE, maximumConcurrency = CONCURRENCY } = event
  const running = new Set<Promise<void>>()
  const receive = async (atMost: number): Promise<Message[]> => {
    const query = {
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(MAX_RECEIVED, atMost),
      WaitTimeSeconds: WAIT_SECONDS,
      MessageSystemAttributeNames: ['All'],
    }
    return v.parse(Received, await sqs('ReceiveMessage', query, signal)).Messages
  }

  try {
    while (!signal.aborted) {
      // A batch of one group must not wait for other groups: it waits only at the maximum of concurrent invocations.
      if (running.size >= maximumConcurrency) await Promise.race(running)
      const messages = await receive((maximumConcurrency - running.size) * batchSize)
      for (const batch of batches(messages, batchSize)) {
        const run = handle(mapping, batch).finally(() => running.delete(run))
        running.add(run)
      }
    }
  } finally {
    await Promise.allSettled(running)
  }
}

const handle = async ({ sqs, queueUrl, queueArn, event, invoke }: QueueMapping, batch: Message[]): Promise<void> => {
  try {
    const result = await invoke({ Records: batch.map((message) => asRecord(message, queueArn)) })
    const failed = failedItems(result, event.functionResponseType)
    const done = batch.filter(({ MessageId }) => !failed.has(MessageId))
    if (done.length === 0) return
    const Entries = done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }))
    await sqs('DeleteMessageBatch', { QueueUrl: queueUrl, Entries })
  } catch {
    // The function's error is in the log; its messages are still in the queue.
  }
}
