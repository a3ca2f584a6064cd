/** The embedded DynamoDB for tests, as the local stage starts it, with the service's table and its stream. */
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { startDatabase } from '../../../infra/local/dynamodb.ts'

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
  stop(): Promise<void>
}

const createTable = (client: DynamoDBClient, table: string, { stream = true }: DynamoOptions) =>
  client.send(
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

/** Starts an empty table of the name in the local stage's database; nothing is left of it after `stop`. */
export const startDynamo = async (table = 'agent', options: DynamoOptions = {}): Promise<Dynamo> => {
  const { endpoint, stop } = await startDatabase({ dynamodbEndpoint: undefined, dataDir: undefined })
  const client = new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 })
  await createTable(client, table, options)
  return {
    endpoint,
    table,
    client,
    stop: () => {
      client.destroy()
      return stop()
    },
  }
}
