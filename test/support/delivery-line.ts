/** The way from the table to the wallets, as Lambda's event source mappings drive it: stream → relayChanges → queue → deliverMessage. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import type { Context, DynamoDBRecord, SQSRecord } from 'aws-lambda'
import { CREDENTIALS, type Dynamo, REGION } from './dynamo.ts'

const context = { getRemainingTimeInMillis: () => 60_000 } as Context

export class DeliveryLine {
  readonly #streams: DynamoDBStreamsClient
  readonly #sqs: SQSClient
  readonly #queueUrl: string
  #iterator: string | undefined
  #moving = false
  #running: Promise<void> = Promise.resolve()

  private constructor(streams: DynamoDBStreamsClient, sqs: SQSClient, queueUrl: string, iterator: string | undefined) {
    this.#streams = streams
    this.#sqs = sqs
    this.#queueUrl = queueUrl
    this.#iterator = iterator
  }

  /** Stands still until `run`. */
  static async start({ endpoint, table }: Dynamo, queue: { endpoint: string; url: string }): Promise<DeliveryLine> {
    const streams = new DynamoDBStreamsClient({ endpoint, region: REGION, credentials: CREDENTIALS })
    const sqs = new SQSClient({ endpoint: queue.endpoint, region: REGION, credentials: CREDENTIALS })
    const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName: table }))
    const StreamArn = Streams[0]?.StreamArn
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
    const ShardId = StreamDescription?.Shards?.[0]?.ShardId
    const { ShardIterator } = await streams.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    )
    return new DeliveryLine(streams, sqs, queue.url, ShardIterator)
  }

  /** Moves what is there, again and again, until `pause`. */
  run(): void {
    this.#moving = true
    this.#running = (async () => {
      while (this.#moving) {
        await this.move()
        await delay(10)
      }
    })()
  }

  async pause(): Promise<void> {
    this.#moving = false
    await this.#running
  }

  /** Relays what the stream has and delivers what the queue shows, once. Resolves to the number of messages tried. */
  async move(): Promise<number> {
    await this.relay()
    return this.deliver()
  }

  /** Hands the stream's next records to relayChanges; those that it reports come again. */
  async relay(): Promise<void> {
    const { relayChanges } = await import('../../functions/relay-changes.ts')
    const { Records = [], NextShardIterator } = await this.#streams.send(
      new GetRecordsCommand({ ShardIterator: this.#iterator }),
    )
    const { batchItemFailures } = await relayChanges({ Records: Records as DynamoDBRecord[] })
    if (batchItemFailures.length === 0) this.#iterator = NextShardIterator
  }

  async deliver(): Promise<number> {
    const { deliverMessage } = await import('../../functions/deliver-message.ts')
    const { Messages = [] } = await this.#sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#queueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
      }),
    )
    if (Messages.length === 0) return 0
    const records = Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      attributes: Attributes,
    })) as SQSRecord[]
    const { batchItemFailures } = await deliverMessage({ Records: records }, context)
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { messageId, receiptHandle } of records)
      if (!failed.has(messageId))
        await this.#sqs.send(new DeleteMessageCommand({ QueueUrl: this.#queueUrl, ReceiptHandle: receiptHandle }))
    return Messages.length
  }

  async stop(): Promise<void> {
    await this.pause()
    this.#streams.destroy()
    this.#sqs.destroy()
  }
}
