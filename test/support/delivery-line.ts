/**
 * The way from the table to wallets and webhook endpoints, as Lambda's event source mappings drive it: stream → relayChanges → queues →
 * deliverMessage, deliverWebhook.
 */
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

export interface LineQueues {
  endpoint: string
  /** Of the queue to wallets. */
  url: string
  /** Of the queue to webhook endpoints. */
  webhookUrl: string
}

/** Delivers messages and tells the ids of those that come back. */
type Deliver = (records: SQSRecord[]) => Promise<string[]>

export class DeliveryLine {
  readonly #streams: DynamoDBStreamsClient
  readonly #sqs: SQSClient
  readonly #queues: LineQueues
  #iterator: string | undefined
  #moving = false
  #running: Promise<void> = Promise.resolve()

  private constructor(
    streams: DynamoDBStreamsClient,
    sqs: SQSClient,
    queues: LineQueues,
    iterator: string | undefined,
  ) {
    this.#streams = streams
    this.#sqs = sqs
    this.#queues = queues
    this.#iterator = iterator
  }

  /** Stands still until `run`. */
  static async start({ endpoint, table }: Dynamo, queues: LineQueues): Promise<DeliveryLine> {
    const streams = new DynamoDBStreamsClient({ endpoint, region: REGION, credentials: CREDENTIALS })
    const sqs = new SQSClient({ endpoint: queues.endpoint, region: REGION, credentials: CREDENTIALS })
    const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName: table }))
    const StreamArn = Streams[0]?.StreamArn
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
    const ShardId = StreamDescription?.Shards?.[0]?.ShardId
    const { ShardIterator } = await streams.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    )
    return new DeliveryLine(streams, sqs, queues, ShardIterator)
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

  /** Relays what the stream has and delivers what the queues show, once. Resolves to the number of messages tried. */
  async move(): Promise<number> {
    await this.relay()
    return this.deliver()
  }

  /** Moves until stream and queues have nothing more to give. What is hidden stays where it is. */
  async settle(): Promise<void> {
    for (;;) {
      const relayed = await this.relay()
      const delivered = await this.deliver()
      if (relayed + delivered === 0) return
    }
  }

  /** Hands the stream's next records to relayChanges; those that it reports come again. Resolves to the number of records. */
  async relay(): Promise<number> {
    const { relayChanges } = await import('../../functions/relay-changes.ts')
    const { Records = [], NextShardIterator } = await this.#streams.send(
      new GetRecordsCommand({ ShardIterator: this.#iterator }),
    )
    const { batchItemFailures } = await relayChanges({ Records: Records as DynamoDBRecord[] })
    if (batchItemFailures.length === 0) this.#iterator = NextShardIterator
    return Records.length
  }

  /** Delivers what the queues show, once. Resolves to the number of messages tried. */
  async deliver(): Promise<number> {
    return (await this.deliverMessages()) + (await this.deliverWebhooks())
  }

  async deliverMessages(): Promise<number> {
    const { deliverMessage } = await import('../../functions/deliver-message.ts')
    return this.#work(this.#queues.url, async (Records) => failedOf(await deliverMessage({ Records }, context)))
  }

  async deliverWebhooks(): Promise<number> {
    const { deliverWebhook } = await import('../../functions/deliver-webhook.ts')
    return this.#work(this.#queues.webhookUrl, async (Records) => failedOf(await deliverWebhook({ Records }, context)))
  }

  async stop(): Promise<void> {
    await this.pause()
    this.#streams.destroy()
    this.#sqs.destroy()
  }

  async #work(url: string, deliver: Deliver): Promise<number> {
    const { Messages = [] } = await this.#sqs.send(
      new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
    )
    if (Messages.length === 0) return 0
    const records = Messages.map(({ MessageId, ReceiptHandle, Body, Attributes }) => ({
      messageId: MessageId,
      receiptHandle: ReceiptHandle,
      body: Body,
      attributes: Attributes,
    })) as SQSRecord[]
    const failed = new Set(await deliver(records))
    for (const { messageId, receiptHandle } of records)
      if (!failed.has(messageId))
        await this.#sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receiptHandle }))
    return Messages.length
  }
}

const failedOf = ({ batchItemFailures }: { batchItemFailures: { itemIdentifier: string }[] }): string[] =>
  batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
