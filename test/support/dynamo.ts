/** The embedded DynamoDB for tests: the dynoxide binary on a free port, with the service's table and its stream. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'

export const REGION = 'eu-west-1'
export const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' }

export interface Dynamo {
  endpoint: string
  /** Name of the table that was created. */
  table: string
  client: DynamoDBClient
  stop(): Promise<void>
}

const binary = (): string =>
  createRequire(import.meta.url).resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`)

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const createTable = (client: DynamoDBClient, table: string) =>
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
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    }),
  )

/**
 * Creates the table as soon as the process answers; false when the process ended first (its port was taken meanwhile).
 */
const ready = async (child: ChildProcess, client: DynamoDBClient, table: string): Promise<boolean> => {
  const deadline = Date.now() + 10_000
  while (child.exitCode === null && child.signalCode === null) {
    try {
      await createTable(client, table)
      return true
    } catch (error) {
      if (Date.now() > deadline) throw error
      await delay(10)
    }
  }
  return false
}

/** Starts an empty table of the name; `stop` ends the process. Nothing is kept on disk. */
export const startDynamo = async (table = 'agent'): Promise<Dynamo> => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = await freePort()
    const endpoint = `http://127.0.0.1:${port}`
    const child = spawn(binary(), ['serve', '--port', String(port)], { stdio: 'ignore' })
    const kill = () => child.kill('SIGKILL')
    process.once('exit', kill)
    const client = new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 })
    const stop = async () => {
      client.destroy()
      process.off('exit', kill)
      if (child.exitCode !== null || child.signalCode !== null) return
      kill()
      await once(child, 'exit')
    }
    if (await ready(child, client, table)) return { endpoint, table, client, stop }
    await stop()
  }
  throw new Error('the embedded DynamoDB did not start')
}
