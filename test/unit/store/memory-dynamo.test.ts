/**
 * The table in memory responds as the embedded database does: random requests of all kinds that this service makes, and
 * their stream.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { afterAll, expect, test } from 'vitest'
import { type Condition, expressionsOf } from '../../../lib/store/conditions.ts'
import { type Item, toKey } from '../../../lib/store/table.ts'
import { seeded } from '../../simulation/seeded.ts'
import { CREDENTIALS, type Dynamo, REGION, startDynamo } from '../../support/table/dynamo.ts'
import { startMemoryDynamo } from '../../support/table/memory-dynamo.ts'

const REQUESTS = 750

const tables = [await startDynamo(), startMemoryDynamo()]
afterAll(() => Promise.all(tables.map((table) => table.stop())))

const random = seeded(7)
const below = (end: number): number => Math.floor(random() * end)
const oneOf = <T>(...values: T[]): T => values[below(values.length)] as T

const TableName = 'agent'
const address = () => ({ pk: oneOf('a', 'b'), sk: String(below(6)) })
const bytes = () => ({ B: Buffer.from([below(2), 200]) })
const attributes = (): Item => ({
  ...oneOf<Item>({}, { text: { S: oneOf('x', 'y') } }, { flag: { BOOL: random() < 0.5 } }),
  ...oneOf<Item>({}, { bytes: bytes() }, { number: { N: String(below(4)) } }),
  ...oneOf<Item>(
    {},
    { dueShard: { S: 'due|0' }, dueAt: { N: String(below(3) + 8) }, lane: { S: 'l' }, other: { S: 'o' } },
  ),
})
const simple = (): Condition =>
  oneOf<Condition>(
    { absent: ['pk'] },
    { present: [oneOf('pk', 'text')] },
    { equals: oneOf<Item>({ text: { S: 'x' } }, { bytes: bytes() }, { number: { N: '2' } }, { flag: { BOOL: true } }) },
    { below: { number: { N: '2' } } },
    { atMost: { number: { N: '1' } }, present: ['text'] },
  )
const condition = (): Condition | undefined => oneOf(undefined, simple(), simple(), { anyOf: [simple(), simple()] })
const change = () =>
  oneOf(
    { set: { text: { S: oneOf('x', 'z') } }, remove: ['number'] },
    { add: { number: 1 }, set: { bytes: bytes() } },
    { add: { text: 1 } },
    { remove: ['dueShard', 'dueAt'] },
    { set: { dueShard: { S: 'due|0' }, dueAt: { N: '10' } } },
  )
const put = () => ({ TableName, Item: { ...toKey(address()), ...attributes() }, ...expressionsOf(condition()) })
const update = () => {
  const { UpdateExpression = '', ...others } = expressionsOf(condition(), change())
  return { TableName, Key: toKey(address()), UpdateExpression, ...others }
}
const remove = () => ({ TableName, Key: toKey(address()), ...expressionsOf(condition()) })
const found = () => oneOf({}, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const)

const partitionQuery = () => {
  const [from, to] = [String(below(3)), String(below(3) + 3)]
  const [within, values] = oneOf<[string, Item]>(
    ['', {}],
    [' AND sk >= :from', { ':from': { S: from } }],
    [' AND sk <= :to', { ':to': { S: to } }],
    [' AND sk BETWEEN :from AND :to', { ':from': { S: from }, ':to': { S: to } }],
  )
  const pk = oneOf('a', 'b', 'none')
  return new QueryCommand({
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: `pk = :pk${within}`,
    ExpressionAttributeValues: { ':pk': { S: pk }, ...values },
    ScanIndexForward: random() < 0.5,
    ...oneOf({}, { Limit: below(4) + 1 }),
    ...(within === '' && oneOf({}, { ExclusiveStartKey: toKey({ pk, sk: String(below(6)) }) })),
  })
}
const indexQuery = () =>
  new QueryCommand({
    TableName,
    IndexName: 'due',
    KeyConditionExpression: '#shard = :shard AND #time <= :until',
    ExpressionAttributeNames: { '#shard': 'dueShard', '#time': 'dueAt' },
    ExpressionAttributeValues: { ':shard': { S: 'due|0' }, ':until': { N: String(below(4) + 8) } },
    ...oneOf({}, { Limit: below(3) + 1 }),
  })
const writes = (): TransactWriteItem[] =>
  Array.from({ length: below(3) + 1 }, () => oneOf({ Put: put() }, { Update: update() }, { Delete: remove() })).map(
    (write) => Object.fromEntries(Object.entries(write).map(([kind, input]) => [kind, { ...input, ...found() }])),
  )

/** By its name, so that a difference says of what. */
const REQUEST: Record<string, () => (client: DynamoDBClient) => Promise<object>> = {
  put: () => {
    const command = { ...put(), ...found() }
    return (client) => client.send(new PutItemCommand(command))
  },
  update: () => {
    const command = { ...update(), ...found(), ReturnValues: 'ALL_NEW' } as const
    return (client) => client.send(new UpdateItemCommand(command))
  },
  remove: () => {
    const command = remove()
    return (client) => client.send(new DeleteItemCommand(command))
  },
  transact: () => {
    const command = { TransactItems: writes(), ...oneOf({}, { ClientRequestToken: `token ${below(1e9)}` }) }
    return (client) => client.send(new TransactWriteItemsCommand(command))
  },
  get: () => {
    const command = { TableName, Key: toKey(address()), ConsistentRead: true }
    return (client) => client.send(new GetItemCommand(command))
  },
  'batch get': () => {
    const Keys = Array.from({ length: 3 }, () => toKey(address()))
    return (client) => client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }))
  },
  query: () => {
    const command = partitionQuery().input
    return (client) => client.send(new QueryCommand(command))
  },
  'query of the index': () => {
    const command = indexQuery().input
    return (client) => client.send(new QueryCommand(command))
  },
  scan: () => {
    const { ConditionExpression: FilterExpression, ...others } = expressionsOf(simple())
    const projected = oneOf({}, { ProjectionExpression: 'pk, epoch, sk' })
    return (client) => client.send(new ScanCommand({ TableName, FilterExpression, ...projected, ...others }))
  },
}

const inOrder = (items: unknown): unknown =>
  Array.isArray(items)
    ? items.map((item) => JSON.stringify(item, Object.keys(item ?? {}).toSorted())).toSorted()
    : items

const UNORDERED = new Set(['batch get', 'scan'])

/** What a caller sees of it: the output, or the error. */
const outcome = async (name: string, request: Promise<object>): Promise<object> => {
  try {
    const { $metadata: _, Count: __, ScannedCount: ___, ...output } = (await request) as Record<string, unknown>
    if (!UNORDERED.has(name)) return output
    const { Items, Responses } = output as { Items?: Item[]; Responses?: Record<string, Item[]> }
    return { items: inOrder(Items ?? Responses?.[TableName] ?? []) }
  } catch (error) {
    const { name, CancellationReasons, Item } = error as Error & {
      CancellationReasons?: { Code: string; Item?: Item }[]
      Item?: Item
    }
    return { name, reasons: CancellationReasons?.map(({ Code, Item }) => ({ Code, Item })), item: Item }
  }
}

/** All that the stream shows. */
const changesOf = async (dynamo: Dynamo): Promise<object[]> => {
  const streams = new DynamoDBStreamsClient({ endpoint: dynamo.endpoint, region: REGION, credentials: CREDENTIALS })
  dynamo.connect(streams)
  const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName }))
  const StreamArn = Streams[0]?.StreamArn
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
  const ShardId = StreamDescription?.Shards?.[0]?.ShardId
  const begin = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const
  let { ShardIterator } = await streams.send(new GetShardIteratorCommand(begin))
  const changes: object[] = []
  for (;;) {
    const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }))
    if (Records.length === 0) return changes
    ShardIterator = NextShardIterator
    // The embedded database shows writes that change nothing, too, and DynamoDB does not.
    for (const { eventName, dynamodb: { Keys, NewImage, OldImage } = {} } of Records)
      if (!isDeepStrictEqual(NewImage, OldImage)) changes.push({ eventName, Keys, NewImage, OldImage })
  }
}

test('both give the same responses', async () => {
  for (let number = 0; number < REQUESTS; number++) {
    const name = oneOf(...Object.keys(REQUEST))
    const send = REQUEST[name]?.()
    const [embedded, memory] = await Promise.all(
      tables.map(({ client }) => outcome(name, send?.(client) ?? Promise.reject(new Error(name)))),
    )
    expect(memory, `${name}, request ${number}`).toEqual(embedded)
  }
  const [embedded = [], memory = []] = await Promise.all(tables.map(changesOf))
  expect(embedded.length).toBeGreaterThan(50)
  expect(memory).toEqual(embedded)
})

test('both reject an item that is too large', async () => {
  for (const size of [400 * 1024 - 100, 400 * 1024 + 1]) {
    const text = { S: 'x'.repeat(size) }
    const command = { TransactItems: [{ Put: { TableName, Item: { ...toKey(address()), text } } }] }
    const [embedded, memory] = await Promise.all(
      tables.map(({ client }) => outcome('transact', client.send(new TransactWriteItemsCommand(command)))),
    )
    expect(memory).toEqual(embedded)
  }
})

test('both write once if a token is repeated', async () => {
  const Key = toKey({ pk: 'counter', sk: 'once' })
  const { UpdateExpression = '', ...values } = expressionsOf(undefined, { add: { number: 1 } })
  const Update = { TableName, Key, UpdateExpression, ...values }
  const command = { TransactItems: [{ Update }], ClientRequestToken: 'the same' }
  for (const { client } of tables) {
    await client.send(new TransactWriteItemsCommand(command))
    await client.send(new TransactWriteItemsCommand(command))
    const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))
    expect(Item).toEqual({ ...Key, number: { N: '1' } })
  }
})
