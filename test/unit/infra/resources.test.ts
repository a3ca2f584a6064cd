/** The service's own resources, made on this machine: what is there stays, what has changed is changed. */

import { DescribeTableCommand, PutItemCommand, QueryCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { GetQueueAttributesCommand, type QueueAttributeName, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createResources, resolve } from '../../../infra/local/resources.ts'
import type { Resource } from '../../../infra/service.ts'
import { CREDENTIALS, type Dynamo, REGION, startDynamo } from '../../support/table/dynamo.ts'

let dynamo: Dynamo
let server: FauxqsServer
let sqs: SQSClient

beforeAll(async () => {
  dynamo = await startDynamo()
  server = await startFauxqs({ port: 0, logger: false, defaultRegion: REGION })
  const endpoint = { endpoint: server.address, useQueueUrlAsEndpoint: false }
  sqs = new SQSClient({ ...endpoint, region: REGION, credentials: CREDENTIALS })
})
afterAll(async () => {
  sqs.destroy()
  await server.stop()
  await dynamo.stop()
})

const queue = (QueueName: string, Properties: Record<string, unknown> = {}): Resource => ({
  Type: 'AWS::SQS::Queue',
  Properties: { QueueName, FifoQueue: true, ...Properties },
})

/** `name` makes them others than those of another test. */
const resources = (name: string, VisibilityTimeout = 180): Record<string, Resource> => ({
  Queue: queue(`${name}.fifo`, {
    VisibilityTimeout,
    SqsManagedSseEnabled: true,
    RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 590 },
  }),
  Dead: queue(`${name}-dead.fifo`, { MessageRetentionPeriod: 1_209_600 }),
  Table: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'at', AttributeType: 'N' },
      ],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'times',
          KeySchema: [{ AttributeName: 'at', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['kind'] },
        },
      ],
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      DeletionProtectionEnabled: true,
    },
  },
  Alarm: { Type: 'AWS::CloudWatch::Alarm', Properties: {} },
})

const create = async (of: Record<string, Resource>) => {
  const { tables, queues } = await createResources(of, {
    dynamodb: dynamo.client,
    sqs,
    sqsEndpoint: server.address,
    stageName: 'agent-test',
  })
  return [...tables, ...queues]
}

const attributesOf = async (QueueUrl: string) => {
  const AttributeNames: QueueAttributeName[] = ['All']
  return (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes ?? {}
}

describe('made are', () => {
  test('a queue with all that is said of it, after the one that takes its dead letters', async () => {
    const created = await create(resources('made'))
    const url = String(resolve({ Ref: 'Queue' }, created))
    const { RedrivePolicy = '', ...attributes } = await attributesOf(url)
    expect(attributes).toMatchObject({ FifoQueue: 'true', VisibilityTimeout: '180' })
    expect(JSON.parse(RedrivePolicy)).toEqual({
      deadLetterTargetArn: resolve({ 'Fn::GetAtt': ['Dead', 'Arn'] }, created),
      maxReceiveCount: 590,
    })
    expect(await attributesOf(String(resolve({ Ref: 'Dead' }, created)))).toMatchObject({
      MessageRetentionPeriod: '1209600',
    })
  })

  test('a table with its stream and its index', async () => {
    const created = await create(resources('streaming'))
    const { Table } = await dynamo.client.send(new DescribeTableCommand({ TableName: 'streaming' }))
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' })
    expect(resolve({ 'Fn::GetAtt': ['Table', 'StreamArn'] }, created)).toBe(Table?.LatestStreamArn)
    expect(Table?.GlobalSecondaryIndexes).toMatchObject([
      { IndexName: 'times', Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['kind'] } },
    ])
  })
})

test('what has no name, or one that only CloudFormation can make, is named after the stage and its id', async () => {
  const { Queue, Dead, Table } = resources('unnamed')
  if (Queue === undefined || Dead === undefined || Table === undefined) throw new Error('something is missing')
  const { TableName: _, ...table } = Table.Properties
  const named = { 'Fn::Join': ['-', [{ Ref: 'AWS::StackName' }, 'dead.fifo']] }
  const created = await create({
    Dead: { ...Dead, Properties: { ...Dead.Properties, QueueName: named } },
    Timers: { ...Dead, Properties: { VisibilityTimeout: 180 } },
    Table: { ...Table, Properties: table },
  })
  expect(created.map(({ id, name }) => `${id}: ${name}`).sort()).toEqual([
    'Dead: agent-test-Dead.fifo',
    'Table: agent-test',
    'Timers: agent-test-Timers',
  ])
})

test('an existing resource is kept with its content, and gets changed properties', async () => {
  const before = await create(resources('kept'))
  const QueueUrl = String(resolve({ Ref: 'Queue' }, before))
  const ids = { MessageGroupId: 'group', MessageDeduplicationId: 'id' }
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'body', ...ids }))
  await dynamo.client.send(new PutItemCommand({ TableName: 'kept', Item: { pk: { S: 'a' } } }))

  const after = await create(resources('kept', 60))
  expect(after).toEqual(before)
  expect(await attributesOf(QueueUrl)).toMatchObject({ VisibilityTimeout: '60', ApproximateNumberOfMessages: '1' })
  expect(await dynamo.client.send(new ScanCommand({ TableName: 'kept' }))).toMatchObject({ Count: 1 })
})

test('a table of an earlier version gets the index that it lacks, with what is in the table', async () => {
  const { Table: table, ...others } = resources('older')
  if (table === undefined) throw new Error('there is no table')
  const { GlobalSecondaryIndexes: _, AttributeDefinitions, ...older } = table.Properties
  const definitions = [{ AttributeName: 'pk', AttributeType: 'S' }]
  await create({ ...others, Table: { ...table, Properties: { ...older, AttributeDefinitions: definitions } } })
  const item = { pk: { S: 'a' }, at: { N: '7' } }
  await dynamo.client.send(new PutItemCommand({ TableName: 'older', Item: { ...item, other: { S: 'x' } } }))

  await create(resources('older'))
  await create(resources('older'))
  const query = new QueryCommand({
    TableName: 'older',
    IndexName: 'times',
    KeyConditionExpression: '#at = :at',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':at': item.at },
  })
  expect((await dynamo.client.send(query)).Items).toEqual([item])
})

describe('a reference', () => {
  const created = [{ id: 'Table', name: 'agent', ref: 'agent', attributes: { Arn: 'arn:table' } }]

  test('stands for what was made', () => {
    expect(resolve({ Ref: 'Table' }, created)).toBe('agent')
    expect(resolve({ 'Fn::GetAtt': ['Table', 'Arn'] }, created)).toBe('arn:table')
  })

  test.each([{ Ref: 'SealingKey' }, { 'Fn::GetAtt': ['Table', 'StreamArn'] }, { 'Fn::Sub': 'x' }])(
    'to what is only on AWS stands for nothing: %j',
    (reference) => {
      expect(resolve(reference, created)).toBeUndefined()
    },
  )

  test.each(['text', 5, true, undefined])('is not every value: %j', (value) => {
    expect(resolve(value, created)).toBe(value)
  })
})
