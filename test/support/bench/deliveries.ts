/** What Lambda's event source mappings do, for bundled functions: table stream → dispatchChanges → queues → deliver, deliverSlowly, wake. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { CREDENTIALS, type Dynamo, REGION } from '../table/dynamo.ts'

export interface DeliveriesOptions {
  dynamo: Dynamo
  /** URL of the queue that each function is fed from. */
  queues: { endpoint: string; urls: Record<string, string> }
  invoke(name: string, event: unknown): Promise<unknown>
}

interface BatchResponse {
  batchItemFailures: { itemIdentifier: string }[]
}

const PAUSE_MS = 20

/** What the filter of the mapping in serverless.yml lets through: which changes of which kinds. */
const DISPATCHED: Record<string, string[]> = {
  record: ['INSERT', 'MODIFY'],
  registration: ['MODIFY'],
  outbox: ['INSERT'],
  'pending-event': ['INSERT'],
}

/** The mappings tell functions apart by what their events start with; of a record, these fields are read. */
const toRecord = ({ MessageId, ReceiptHandle, Body, Attributes }: Message) => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  attributes: Attributes,
})

/** Moves what is there, again and again, until it is stopped; a batch that failed comes again. */
export const runDeliveries = async ({ dynamo, queues, invoke }: DeliveriesOptions): Promise<() => Promise<void>> => {
  const streams = new DynamoDBStreamsClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
  const sqs = new SQSClient({ endpoint: queues.endpoint, region: REGION, credentials: CREDENTIALS })
  const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName: dynamo.table }))
  const StreamArn = Streams[0]?.StreamArn
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId
  const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const
  let { ShardIterator } = await streams.send(new GetShardIteratorCommand(start))

  const dispatch = async () => {
    const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }))
    const dispatched = Records.filter(({ eventName = '', dynamodb }) =>
      DISPATCHED[dynamodb?.NewImage?.kind?.S ?? '']?.includes(eventName),
    )
    if (dispatched.length > 0) {
      const { batchItemFailures } = (await invoke('dispatch-changes', { Records: dispatched })) as BatchResponse
      if (batchItemFailures.length > 0) return
    }
    ShardIterator = NextShardIterator
  }

  const deliver = async ([name, QueueUrl]: [string, string]) => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 1, MessageSystemAttributeNames: ['All'] }),
    )
    if (Messages.length === 0) return
    const { batchItemFailures } = (await invoke(name, { Records: Messages.map(toRecord) })) as BatchResponse
    if (batchItemFailures.length > 0) return
    for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
  }

  let moving = true
  const repeat = async (move: () => Promise<void>): Promise<void> => {
    while (moving) {
      await move()
      await delay(PAUSE_MS)
    }
  }
  // As on Lambda, an attempt that takes long holds up no other mapping.
  const running = Promise.all([
    repeat(dispatch),
    ...Object.entries(queues.urls).map((queue) => repeat(() => deliver(queue))),
  ])
  // Who waits in vain for a message learns from the stop what went wrong.
  running.catch(() => {})
  return async () => {
    moving = false
    await running.finally(() => {
      streams.destroy()
      sqs.destroy()
    })
  }
}
