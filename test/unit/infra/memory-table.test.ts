/** The table in memory that stands in for the embedded database: what it has beside the requests that are compared with that. */
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { KEYS, MemoryTable } from '../../../infra/local/memory-table/memory-table.ts'
import { serveMemoryDatabase } from '../../../infra/local/memory-table/server.ts'
import { TableStream } from '../../../infra/local/memory-table/stream.ts'
import { streamRecords } from '../../../infra/local/stream-records.ts'
import { type Item, toKey } from '../../../lib/store/table.ts'
import type { Json } from '../../support/stage/in-process-stage.ts'
import { CREDENTIALS, REGION } from '../../support/table/dynamo.ts'

const item = (sk: string, number = 0): Item => ({ ...toKey({ pk: 'p', sk }), number: { N: String(number) } })

describe('over HTTP', async () => {
  const database = await serveMemoryDatabase()
  const client = new DynamoDBClient({ endpoint: database.endpoint, region: REGION, credentials: CREDENTIALS })
  afterAll(async () => {
    client.destroy()
    await database.stop()
  })
  const create = (TableName: string, more = {}) =>
    client.send(
      new CreateTableCommand({
        ...{ TableName, BillingMode: 'PAY_PER_REQUEST', ...(structuredClone(KEYS) as object), ...more },
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      } as CreateTableCommand['input']),
    )
  const Key = toKey({ pk: 'p', sk: 's' })

  test('should have the one table that is created, with the keys of the service', async () => {
    await expect(client.send(new GetItemCommand({ TableName: 't', Key }))).rejects.toThrow('resource not found')
    await expect(create('t', { GlobalSecondaryIndexes: undefined })).rejects.toThrow('one table')
    await create('t')
    await expect(create('t')).rejects.toMatchObject({ name: 'ResourceInUseException' })
    await expect(create('other')).rejects.toMatchObject({ name: 'ValidationException' })
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 't' }))
    expect(Table?.LatestStreamArn).toMatch(/:table\/t\/stream\//)
    await expect(client.send(new GetItemCommand({ TableName: 't', Key }))).resolves.not.toHaveProperty('Item')
    await expect(client.send(new GetItemCommand({ TableName: 'other', Key }))).rejects.toThrow('resource not found')
  })

  test('should reject a request that it does not know', async () => {
    const KeyConditionExpression = 'pk = :pk AND begins_with(sk, :from)'
    const ExpressionAttributeValues = { ':pk': { S: 'p' }, ':from': { S: 's' } }
    const query = new QueryCommand({ TableName: 't', KeyConditionExpression, ExpressionAttributeValues })
    await expect(client.send(query)).rejects.toMatchObject({ name: 'ValidationException' })
    for (const init of [{}, { method: 'POST', body: '{', headers: { 'x-amz-target': 'DynamoDB_20120810.GetItem' } }])
      expect((await fetch(database.endpoint, init)).status).toBe(400)
  })
})

test('the stream should forget a change that all of its readers have handled', async () => {
  const stream = new TableStream()
  const streams = async (operation: string, input: object) => stream.execute(operation, { ...input }, 'arn')
  const add = (...numbers: number[]) => {
    for (const number of numbers) stream.add({ before: undefined, after: item('s', number) })
  }
  add(0, 1, 2, 3, 4)
  stream.add({ before: item('s'), after: item('s') })
  const reading = { streams, streamArn: 'arn', batchSize: 2, signal: new AbortController().signal }
  const readers = [streamRecords(reading, undefined), streamRecords(reading, undefined)]
  const next = async (reader: number) => {
    const { value } = (await readers[reader]?.next()) ?? {}
    const numbers = value?.records.map(({ dynamodb }: Json) => Number(dynamodb.NewImage.number.N))
    return { numbers, held: stream.size }
  }
  expect(await next(0)).toEqual({ numbers: [0, 1], held: 5 })
  expect(await next(1)).toEqual({ numbers: [0, 1], held: 5 })
  expect(await next(0)).toEqual({ numbers: [2, 3], held: 5 })
  expect(await next(1)).toEqual({ numbers: [2, 3], held: 3 })
  add(5)
  expect(await next(0)).toEqual({ numbers: [4, 5], held: 4 })
  expect(await next(1)).toEqual({ numbers: [4, 5], held: 2 })
})

test('a scan should come in pages, and continue after an item that was deleted', async () => {
  const table = new MemoryTable()
  await table.putAll([item('b'), item('a'), { ...item('c'), pk: { S: 'o' } }, item('d')])
  const scan = (ExclusiveStartKey?: Item): Promise<Json> => table.execute('Scan', { Limit: 2, ExclusiveStartKey })
  const first = await scan()
  expect(first.Items.map(({ sk }: Item) => sk?.S)).toEqual(['c', 'a'])
  await table.execute('DeleteItem', { Key: first.LastEvaluatedKey })
  const second = await scan(first.LastEvaluatedKey)
  expect(second.Items.map(({ sk }: Item) => sk?.S)).toEqual(['b', 'd'])
  expect(await scan(second.LastEvaluatedKey)).toEqual({ Items: [] })
})

test('a transaction should be repeated by its token once ten minutes have passed', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const table = new MemoryTable()
  const UpdateExpression = 'ADD version :1'
  const Update = { Key: toKey({ pk: 'p', sk: 's' }), UpdateExpression, ExpressionAttributeValues: { ':1': { N: '1' } } }
  const version = async () => {
    await table.execute('TransactWriteItems', { TransactItems: [{ Update }], ClientRequestToken: 'token' })
    return [...table.items()][0]?.version
  }
  expect([await version(), await version()]).toEqual([{ N: '1' }, { N: '1' }])
  vi.advanceTimersByTime(10 * 60_000 + 1)
  expect(await version()).toEqual({ N: '2' })
})
