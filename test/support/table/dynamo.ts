/** The embedded DynamoDB for tests, as the local stage starts it, with the service's table and its stream. */
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb'
import { startDatabase } from '../../../infra/local/dynamodb.ts'
import { LAYOUT_ITEM } from '../../../lib/store/layout.ts'
import { type LeanClient, useLeanTransport } from '../aws/lean-transport.ts'

export const REGION = 'eu-west-1'
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' }

export interface DynamoOptions {
  /** Without a stream the table stays fast for millions of writes. */
  stream?: boolean
}

export interface Dynamo {
  endpoint: string
  /** Name of the table that was created. */
  table: string
  client: DynamoDBClient
  /** Removes all items. */
  clear(): Promise<void>
  /** Takes a client of the table or its stream by the shortest way. To be called before that client is used. */
  connect(client: LeanClient): void
  /** The same, and counts what the client writes. */
  watch(client: DynamoDBClient): void
  /** Sends a first request of the service, which reads the version of the layout too: none of a test's own does. */
  warm(client: DynamoDBClient): Promise<void>
  /** Requests that may have written something, those of `client` and of all that are watched; undefined while one is under way. */
  writes(): number | undefined
  stop(): Promise<void>
}

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand', 'ScanCommand'])

const createTable = async (client: DynamoDBClient, table: string, { stream = true }: DynamoOptions): Promise<void> => {
  await client.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
        { AttributeName: 'dueShard', AttributeType: 'S' },
        { AttributeName: 'dueAt', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'due',
          KeySchema: [
            { AttributeName: 'dueShard', KeyType: 'HASH' },
            { AttributeName: 'dueAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['kind', 'lane', 'destination', 'epoch'] },
        },
      ],
      ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
    }),
  )
  await client.send(new PutItemCommand({ TableName: table, Item: LAYOUT_ITEM }))
}

/** Counts the writes of `client`, and of all others that are watched. */
export const watchWrites = (
  table: string,
  client: DynamoDBClient,
  connect: Dynamo['connect'],
): Pick<Dynamo, 'watch' | 'warm' | 'writes'> => {
  let writes = 0
  let underWay = 0
  const watch = (watched: DynamoDBClient): void => {
    connect(watched)
    // It walks through each response, although there is no logger.
    watched.middlewareStack.remove('loggerMiddleware')
    watched.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          if (READS.has(commandName)) return next(args)
          underWay += 1
          try {
            return await next(args)
          } finally {
            underWay -= 1
            writes += 1
          }
        },
      // The innermost: what the tests inject may keep an answer from those outside of it.
      { step: 'deserialize', priority: 'low' },
    )
  }
  watch(client)
  return {
    watch,
    warm: async (warmed) => {
      await warmed.send(new GetItemCommand({ TableName: table, Key: { pk: { S: '-' }, sk: { S: '~' } } }))
    },
    writes: () => (underWay === 0 ? writes : undefined),
  }
}

/** Starts an empty table of the name in the local stage's database; nothing is left of it after `stop`. */
export const startDynamo = async (table = 'agent', options: DynamoOptions = {}): Promise<Dynamo> => {
  const { endpoint, stop } = await startDatabase({ dynamodbEndpoint: undefined, dataDir: undefined })
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 })
  const watched = watchWrites(table, client, useLeanTransport)
  await createTable(client, table, options)
  return {
    ...watched,
    endpoint,
    table,
    client,
    connect: useLeanTransport,
    clear: async () => {
      await client.send(new DeleteTableCommand({ TableName: table }))
      await createTable(client, table, options)
    },
    stop: () => {
      client.destroy()
      return stop()
    },
  }
}
