/**
 * The work of Lambda's event source mappings: stream → dispatchChanges → queues of wake-ups → deliver, deliverSlowly, wake; queues of jobs → runJobs, removeOwned;
 * and the sweep. The one driver of all tests; `through` stands around each invocation of a function.
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
import type { Context, DynamoDBRecord, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { RoleGuard } from '../../../infra/roles/guard.ts'
import { useLeanTransport } from '../aws/lean-transport.ts'
import { CREDENTIALS, type Dynamo, REGION } from '../table/dynamo.ts'
import type { DeliveryQueues } from './queues.ts'
import { guardRoles } from './roles.ts'

const context = { getRemainingTimeInMillis: () => 60_000 } as Context

/** Runs an invocation; undefined where its process has died. */
export type Through = <T>(run: () => Promise<T>) => Promise<T | undefined>

type Work = (event: SQSEvent) => Promise<SQSBatchResponse>

export class DeliveryLine {
  /** Holds every function to its role. */
  readonly guard: RoleGuard
  readonly #streams: DynamoDBStreamsClient
  readonly #sqs: SQSClient
  readonly #queues: DeliveryQueues
  readonly #through: Through
  readonly #dynamo: Dynamo
  /** How many writes there were when the stream had nothing more to give. */
  #readUpTo: number | undefined
  #iterator: string | undefined
  #unread: DynamoDBRecord[] = []
  #moving = false
  #running: Promise<void> = Promise.resolve()

  private constructor(
    streams: DynamoDBStreamsClient,
    dynamo: Dynamo,
    queues: DeliveryQueues,
    iterator: string | undefined,
    through: Through,
    guard: RoleGuard,
  ) {
    this.guard = guard
    const { endpoint } = queues
    this.#streams = streams
    this.#dynamo = dynamo
    this.#sqs = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false, region: REGION, credentials: CREDENTIALS })
    this.#queues = queues
    this.#iterator = iterator
    useLeanTransport(this.#sqs)
    // A function that throws has failed: its messages and records are delivered again.
    this.#through = (run) => through(run).catch(() => undefined)
  }

  /** Stands still until `run`. */
  static async start(dynamo: Dynamo, queues: DeliveryQueues, through: Through = (run) => run()): Promise<DeliveryLine> {
    const { endpoint, table } = dynamo
    const streams = new DynamoDBStreamsClient({ endpoint, region: REGION, credentials: CREDENTIALS })
    dynamo.connect(streams)
    const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName: table }))
    const StreamArn = Streams[0]?.StreamArn
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
    const ShardId = StreamDescription?.Shards?.[0]?.ShardId
    const { ShardIterator } = await streams.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    )
    return new DeliveryLine(streams, dynamo, queues, ShardIterator, through, await guardRoles(table, queues))
  }

  /** Moves messages and records repeatedly, until `pause`. */
  run(): void {
    // A second loop would go on while `settle` expects no other.
    if (this.#moving) return
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

  /** Dispatches the stream's records and handles the queues' visible messages, once. Resolves to the number of messages handled. */
  async move(): Promise<number> {
    await this.dispatch()
    return this.deliver()
  }

  /** Moves until stream and queues are empty. Delayed messages stay where they are. */
  async settle(): Promise<void> {
    for (;;) {
      const dispatched = await this.dispatch()
      const delivered = await this.deliver()
      if (dispatched + delivered === 0) return
    }
  }

  /**
   * Hands the stream's next records to dispatchChanges; those that it reports, and all where it died, are repeated. Resolves to the number of
   * records that were handed over.
   */
  async dispatch(): Promise<number> {
    const { dispatchChanges } = await import('../../../functions/dispatch-changes.ts')
    await this.#read()
    const handed = this.#unread
    if (handed.length === 0) return 0
    const answer = await this.#invoke('dispatchChanges', () => dispatchChanges({ Records: handed }))
    if (answer === undefined) return handed.length
    const [failure] = answer.batchItemFailures
    const first = handed.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failure?.itemIdentifier)
    this.#unread = failure === undefined ? [] : handed.slice(first)
    return handed.length
  }

  /** Reads the stream; skips that where nothing was written since it was empty. */
  async #read(): Promise<void> {
    const writes = this.#dynamo.writes()
    if (writes !== undefined && writes === this.#readUpTo) return
    const { Records = [], NextShardIterator } = await this.#streams.send(
      new GetRecordsCommand({ ShardIterator: this.#iterator }),
    )
    this.#iterator = NextShardIterator
    this.#unread.push(...(Records as DynamoDBRecord[]))
    if (Records.length === 0) this.#readUpTo = writes
  }

  /** Records of the stream that were not dispatched yet. */
  get undispatched(): number {
    return this.#unread.length
  }

  /** Handles the queues' visible messages, once. Resolves to the number of messages. */
  async deliver(batchSize = 10): Promise<number> {
    const { deliver } = await import('../../../functions/deliver.ts')
    const { deliverSlowly } = await import('../../../functions/deliver-slowly.ts')
    const { wake } = await import('../../../functions/wake.ts')
    const { runJobs } = await import('../../../functions/run-jobs.ts')
    const { removeOwned } = await import('../../../functions/remove-owned.ts')
    const { wakeUps, slowWakeUps, timers, jobs, removals } = this.#queues.urls
    return (
      (await this.#work('wake', timers, batchSize, (event) => wake(event))) +
      (await this.#work('deliver', wakeUps, batchSize, (event) => deliver(event, context))) +
      (await this.#work('deliverSlowly', slowWakeUps, batchSize, (event) => deliverSlowly(event, context))) +
      (await this.#work('runJobs', jobs, batchSize, (event) => runJobs(event))) +
      (await this.#work('removeOwned', removals, batchSize, (event) => removeOwned(event)))
    )
  }

  async sweep(): Promise<void> {
    const { sweepOutbox } = await import('../../../functions/sweep-outbox.ts')
    await this.#invoke('sweepOutbox', sweepOutbox)
  }

  /** Rejects where a role denied a request: a function may have handled the error. */
  async stop(): Promise<void> {
    await this.pause()
    this.#streams.destroy()
    this.#sqs.destroy()
    if (this.guard.denials.length > 0) throw new Error(this.guard.denials.join('\n'))
  }

  #invoke<T>(functionKey: string, run: () => Promise<T>): Promise<T | undefined> {
    return this.#through(() => this.guard.run(functionKey, run))
  }

  /** Each message is an invocation of its own, as serverless.yml has it; they run side by side. */
  async #work(functionKey: string, QueueUrl: string, batchSize: number, work: Work): Promise<number> {
    if (!this.#queues.hasVisible(QueueUrl)) return 0
    const { Messages = [] } = await this.#sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: batchSize,
        MessageSystemAttributeNames: ['All'],
      }),
    )
    await Promise.all(
      Messages.map(async ({ MessageId, ReceiptHandle, Body, Attributes }) => {
        const record = { messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, attributes: Attributes }
        const answer = await this.#invoke(functionKey, () => work({ Records: [record as unknown as SQSRecord] }))
        if (answer?.batchItemFailures.length === 0)
          await this.#sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }))
      }),
    )
    return Messages.length
  }
}
