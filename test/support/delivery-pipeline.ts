/** The way of messages and events in small, stepped by the test and killed at will: stream → relay → queues → senders. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams'
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { Context, DynamoDBRecord, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { startFauxqs } from 'fauxqs'
import { deliverMessage } from '../../functions/deliver-message.ts'
import { deliverWebhook } from '../../functions/deliver-webhook.ts'
import { relayChanges } from '../../functions/relay-changes.ts'
import { sqs } from '../../lib/delivery/queue.ts'
import { MESSAGE_RECEIPTS, WEBHOOK_RECEIPTS } from '../../lib/delivery/retry-plan.ts'
import { dynamodb } from '../../lib/store/client.ts'
import { CREDENTIALS, REGION, startDynamo } from './dynamo.ts'
import { withOpenStack } from './open-stack.ts'

type Item = Record<string, AttributeValue>

/**
 * What happens to one call of AWS: the process dies, or the call fails; before it is sent, or after it took effect. Or
 * a batch is taken but for its first entry.
 */
export interface Mishap {
  /** From 1, counted over all calls of the functions. */
  call: number
  kind: 'dies' | 'fails' | 'refuses the first entry'
  when: 'before' | 'after'
}

/** A function that runs; once dead, none of its calls goes out or comes back. */
interface Invocation {
  dead: boolean
  die(): void
}

const DIED = Symbol('died')
const running = new AsyncLocalStorage<Invocation>()
const never = new Promise<never>(() => {})

const DEAD_LETTERS = 'dead-letters.fifo'

/** A queue and the function that it invokes. */
interface Lane {
  name: string
  url: string
  arn: string
  deliver(event: SQSEvent, context: Context): Promise<SQSBatchResponse>
}
type LaneName = 'messages' | 'webhooks'

/**
 * Starts table and queues and points the functions' settings to them. One at a time in a process: the clients are made
 * once.
 */
export const startPipeline = async () => {
  const dynamo = await startDynamo()
  const server = await startFauxqs({ port: 0, logger: false })
  const deadLetters = server.createQueue(DEAD_LETTERS, { region: REGION, attributes: { FifoQueue: 'true' } })
  const lane = (name: string, maxReceiveCount: number, deliver: Lane['deliver']): Lane => {
    const { queueUrl, queueArn } = server.createQueue(name, {
      region: REGION,
      attributes: {
        FifoQueue: 'true',
        // What is not hidden by plan comes back soon, but never while a function still runs.
        VisibilityTimeout: '2',
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetters.queueArn, maxReceiveCount }),
      },
    })
    return { name, url: queueUrl, arn: queueArn, deliver }
  }
  const lanes: Record<LaneName, Lane> = {
    messages: lane('messages.fifo', MESSAGE_RECEIPTS, deliverMessage),
    webhooks: lane('webhooks.fifo', WEBHOOK_RECEIPTS, deliverWebhook),
  }
  Object.assign(process.env, {
    TABLE_NAME: dynamo.table,
    DYNAMODB_ENDPOINT: dynamo.endpoint,
    SQS_ENDPOINT: server.address,
    MESSAGE_QUEUE_URL: lanes.messages.url,
    WEBHOOK_QUEUE_URL: lanes.webhooks.url,
    PUBLIC_URL: 'http://127.0.0.1',
    LOCAL_STAGE: 'true',
    LOG_LEVEL: 'debug',
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  })
  const streams = new DynamoDBStreamsClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
  const poller = new SQSClient({
    endpoint: server.address,
    useQueueUrlAsEndpoint: false,
    region: REGION,
    credentials: CREDENTIALS,
  })

  const calls: { name: string; input: unknown }[] = []
  let mishap: Mishap | undefined

  /** Every call of the functions goes through here. */
  const through = async <T extends { output: object }>(
    name: string,
    input: object,
    send: (input: object) => Promise<T>,
  ): Promise<T> => {
    const invocation = running.getStore()
    if (invocation?.dead === true) return never
    calls.push({ name, input })
    const struck = mishap?.call === calls.length ? mishap : undefined
    const strike = (): Promise<never> => {
      if (struck?.kind === 'fails') return Promise.reject(new Error(`call ${calls.length} fails`))
      invocation?.die()
      return never
    }
    if (struck?.kind === 'refuses the first entry' && 'Entries' in input && Array.isArray(input.Entries)) {
      const [first, ...others] = input.Entries
      const answer = await send({ ...input, Entries: others })
      return {
        ...answer,
        output: { ...answer.output, Failed: [{ Id: first.Id, Code: 'InternalError', SenderFault: false }] },
      }
    }
    if (struck?.when === 'before') return strike()
    const answer = await send(input)
    return struck?.when === 'after' ? strike() : answer
  }
  // The two clients' stacks have types of their own that differ in nothing that matters here.
  for (const client of [withOpenStack(dynamodb()), sqs()])
    (client.middlewareStack as ReturnType<typeof dynamodb>['middlewareStack']).add(
      (next, { commandName = '' }) =>
        (args) =>
          through(commandName, args.input, (input) => next({ ...args, input: Object.assign(args.input, input) })),
      { step: 'initialize' },
    )

  /** Runs a function as Lambda would; `DIED` when its process ended first. */
  const invoke = <T>(run: () => Promise<T>): Promise<T | typeof DIED> => {
    const died = Promise.withResolvers<typeof DIED>()
    const invocation: Invocation = {
      dead: false,
      die() {
        this.dead = true
        died.resolve(DIED)
      },
    }
    return Promise.race([running.run(invocation, run), died.promise])
  }

  const { Streams: [stream] = [] } = await streams.send(new ListStreamsCommand({ TableName: dynamo.table }))
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn: stream?.StreamArn }))
  const start = await streams.send(
    new GetShardIteratorCommand({
      StreamArn: stream?.StreamArn,
      ShardId: StreamDescription?.Shards?.[0]?.ShardId,
      ShardIteratorType: 'TRIM_HORIZON',
    }),
  )
  let iterator = start.ShardIterator
  let unread: DynamoDBRecord[] = []

  /**
   * One batch of the stream through the relay; what it reports stays for the next time. Returns how many records are
   * left.
   */
  const relayOnce = async (): Promise<number> => {
    const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }))
    iterator = NextShardIterator
    unread = [...unread, ...(Records as DynamoDBRecord[])]
    if (unread.length === 0) return 0
    const event: DynamoDBStreamEvent = { Records: unread }
    const answer = await invoke(() => relayChanges(event))
    if (answer === DIED) return unread.length
    const [failure] = answer.batchItemFailures
    unread =
      failure === undefined
        ? []
        : unread.slice(unread.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failure.itemIdentifier))
    return unread.length
  }

  const comeBack = async ({ url }: Lane, ReceiptHandle: string | undefined): Promise<void> => {
    try {
      await poller.send(new ChangeMessageVisibilityCommand({ QueueUrl: url, ReceiptHandle, VisibilityTimeout: 0 }))
    } catch (error) {
      // It is back already when the function died after it had hidden the message for 0 s.
      if (!(error instanceof Error && error.name === 'MessageNotInflight')) throw error
    }
  }

  const toRecord = (message: Message, { arn }: Lane): SQSEvent['Records'][number] => ({
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
      ...message.Attributes,
    },
    messageAttributes: {},
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: REGION,
  })

  /**
   * One batch of the queue through the sender; a dead one's messages come back at once. Returns how many were received.
   */
  const deliverOnce = async (batchSize = 10, name: LaneName = 'messages'): Promise<number> => {
    const lane = lanes[name]
    const { Messages = [] } = await poller.send(
      new ReceiveMessageCommand({
        QueueUrl: lane.url,
        MaxNumberOfMessages: batchSize,
        MessageSystemAttributeNames: ['All'],
      }),
    )
    if (Messages.length === 0) return 0
    const event: SQSEvent = { Records: Messages.map((message) => toRecord(message, lane)) }
    const context = { getRemainingTimeInMillis: () => 30_000 } as Context
    const answer = await invoke(() => lane.deliver(event, context))
    const failed = new Set(answer === DIED ? [] : answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    for (const { MessageId = '', ReceiptHandle } of Messages) {
      if (answer === DIED) await comeBack(lane, ReceiptHandle)
      else if (!failed.has(MessageId))
        await poller.send(new DeleteMessageCommand({ QueueUrl: lane.url, ReceiptHandle }))
    }
    return Messages.length
  }

  const waiting = (name: string): number => {
    const { ready = [], delayed = [], inflight = [] } = server.inspectQueue(name)?.messages ?? {}
    return ready.length + delayed.length + inflight.length
  }

  const queued = (): number => waiting(lanes.messages.name) + waiting(lanes.webhooks.name)

  /** Relays and delivers until nothing is left to do. */
  const settle = async (batchSize = 10): Promise<void> => {
    const deadline = Date.now() + 20_000
    do {
      const left = await relayOnce()
      const received = (await deliverOnce(batchSize)) + (await deliverOnce(batchSize, 'webhooks'))
      if (received === 0) await delay(20)
      if (left === 0 && queued() === 0) return
    } while (Date.now() < deadline)
    throw new Error('the pipeline did not settle')
  }

  return {
    /** Calls that the functions made since the last `plan`. */
    calls,
    /** Starts to count calls anew, with or without a mishap ahead. */
    plan(next?: Mishap): void {
      calls.length = 0
      mishap = next
    },
    put: (item: Item) => dynamo.client.send(new PutItemCommand({ TableName: dynamo.table, Item: item })),
    read: async ({ pk = { S: '' }, sk = { S: '' } }: Item): Promise<Item | undefined> =>
      (await dynamo.client.send(new GetItemCommand({ TableName: dynamo.table, Key: { pk, sk }, ConsistentRead: true })))
        .Item,
    /** Puts any body into the queue. */
    enqueue: (body: string, group: string, name: LaneName = 'messages') =>
      server.sendMessage(lanes[name].name, body, {
        region: REGION,
        messageGroupId: group,
        messageDeduplicationId: crypto.randomUUID(),
      }),
    relayOnce,
    deliverOnce,
    settle,
    queued,
    dead: () => waiting(DEAD_LETTERS),
    stop: async () => {
      for (const client of [streams, poller]) client.destroy()
      await server.stop()
      await dynamo.stop()
    },
  }
}

export type Pipeline = Awaited<ReturnType<typeof startPipeline>>
