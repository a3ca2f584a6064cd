/**
 * Functions are held to their roles: what they ask of AWS is seen, whichever command asks for it, and refused where no
 * role allows it.
 */
import { globSync, readFileSync } from 'node:fs'
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RoleGuard, roleCheck } from '../../../../infra/roles/guard.ts'
import type { Call } from '../../../../infra/roles/policy.ts'

const QUEUE = 'http://127.0.0.1:1/000000000000/wake-ups.fifo'

const nowhere = { endpoint: 'http://127.0.0.1:1', region: 'eu-west-1', maxAttempts: 1 }
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
const seen: [string, Call][] = []
const refused = new Set<string>()
let guard: RoleGuard
let dynamodb: DynamoDBClient
let sqs: SQSClient
let kms: KMSClient

beforeAll(() => {
  dynamodb = new DynamoDBClient({ ...nowhere, credentials })
  sqs = new SQSClient({ ...nowhere, credentials })
  kms = new KMSClient({ ...nowhere, credentials })
  guard = new RoleGuard({ agent: 'Table', [QUEUE]: 'WakeUpQueue', 'alias/local': 'SealingKey' }, (key, call) => {
    seen.push([key, call])
    return !refused.has(call.action)
  })
  guard.watch(dynamodb, 'dynamodb')
  guard.watch(sqs, 'sqs')
  guard.watch(kms, 'kms')
})
afterAll(() => {
  for (const client of [dynamodb, sqs, kms]) client.destroy()
})
beforeEach(() => {
  seen.length = 0
  refused.clear()
})

/** No server listens: a call that passes the guard fails later. */
const attempt = (send: () => Promise<unknown>) => send().catch((error: Error) => error.name)
const calls = () => seen.map(([, { action, resource, context }]) => [action, resource, Object.values(context).flat()])
const Key = (pk: string) => ({ pk: { S: pk }, sk: { S: '~' } })
const TableName = 'agent'

test('a read is a read of its keys', async () => {
  await guard.run('reads', async () => {
    await attempt(() => dynamodb.send(new GetItemCommand({ TableName, Key: Key('a') })))
    const RequestItems = { agent: { Keys: [Key('a'), Key('b')] } }
    await attempt(() => dynamodb.send(new BatchGetItemCommand({ RequestItems })))
    const query = { TableName, KeyConditionExpression: 'pk = :pk AND sk >= :from' }
    const ExpressionAttributeValues = { ':from': { S: 'x' }, ':pk': { S: 'c' } }
    await attempt(() => dynamodb.send(new QueryCommand({ ...query, ExpressionAttributeValues })))
  })
  expect(calls()).toEqual([
    ['dynamodb:GetItem', 'Table', ['a']],
    ['dynamodb:BatchGetItem', 'Table', ['a', 'b']],
    ['dynamodb:Query', 'Table', ['c']],
  ])
})

test('an index is a separate resource, and a scan has no key', async () => {
  await guard.run('reads', async () => {
    const query = { TableName, IndexName: 'due', KeyConditionExpression: '#shard = :shard' }
    const names = { ExpressionAttributeNames: { '#shard': 'dueShard' } }
    const values = { ExpressionAttributeValues: { ':shard': { S: 'due|1' } } }
    await attempt(() => dynamodb.send(new QueryCommand({ ...query, ...names, ...values })))
    await attempt(() => dynamodb.send(new ScanCommand({ TableName })))
  })
  expect(calls()).toEqual([
    ['dynamodb:Query', 'Table/index/due', ['due|1']],
    ['dynamodb:Scan', 'Table', []],
  ])
})

test('a transaction is its parts', async () => {
  const TransactItems = [
    { Put: { TableName, Item: Key('a') } },
    { Update: { TableName, Key: Key('b'), UpdateExpression: 'SET x = y' } },
    { Delete: { TableName, Key: Key('c') } },
    { ConditionCheck: { TableName, Key: Key('d'), ConditionExpression: 'attribute_exists(pk)' } },
  ]
  await guard.run('writes', () => attempt(() => dynamodb.send(new TransactWriteItemsCommand({ TransactItems }))))
  expect(calls()).toEqual([
    ['dynamodb:PutItem', 'Table', ['a']],
    ['dynamodb:UpdateItem', 'Table', ['b']],
    ['dynamodb:DeleteItem', 'Table', ['c']],
    ['dynamodb:ConditionCheckItem', 'Table', ['d']],
  ])
})

test('a batch of messages is sent to its queue, and a data key opened in its scope', async () => {
  await guard.run('sends', async () => {
    await attempt(() => sqs.send(new SendMessageBatchCommand({ QueueUrl: QUEUE, Entries: [] })))
    const asked = { KeyId: 'alias/local', CiphertextBlob: new Uint8Array(1), EncryptionContext: { scope: 'acme' } }
    await attempt(() => kms.send(new DecryptCommand(asked)))
  })
  expect(calls()).toEqual([
    ['sqs:SendMessage', 'WakeUpQueue', []],
    ['kms:Decrypt', 'SealingKey', ['acme']],
  ])
})

describe('what a role does not allow', () => {
  const read = () => dynamodb.send(new GetItemCommand({ TableName, Key: Key('acme|key|k1') }))

  test('is denied before it is sent, as IAM would', async () => {
    refused.add('dynamodb:GetItem')
    await expect(guard.run('reads', read)).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message:
        'the role of reads does not allow dynamodb:GetItem on Table acme|key|k1: see its permissions in serverless.yml',
    })
  })

  test('fails the function also where it makes the best of it', async () => {
    refused.add('dynamodb:GetItem')
    await expect(guard.run('reads', () => attempt(read))).rejects.toThrow('the role of reads does not allow')
    expect(guard.denials.at(-1)).toContain('the role of reads')
  })

  test('fails no other function beside it', async () => {
    refused.add('dynamodb:GetItem')
    const other = guard.run('sends', () =>
      attempt(() => sqs.send(new SendMessageBatchCommand({ QueueUrl: QUEUE, Entries: [] }))),
    )
    await expect(guard.run('reads', read)).rejects.toThrow('reads')
    await other
    expect(seen.map(([key, { action }]) => `${key} ${action}`).toSorted()).toEqual([
      'reads dynamodb:GetItem',
      'sends sqs:SendMessage',
    ])
  })
})

test('calls outside of functions are not checked', async () => {
  await attempt(() => dynamodb.send(new GetItemCommand({ TableName, Key: Key('a') })))
  expect(seen).toEqual([])
})

test('every client of AWS that functions make is watched', () => {
  const made = globSync('lib/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/export const (\w+) = (?:\(\): \w+Client =>|clientOf\()/g)].map(
      ([, name]) => name,
    ),
  )
  const watching = ['infra/local/guarded-functions.ts', 'test/support/delivery/roles.ts']
  expect(made.toSorted()).toEqual(['dynamodb', 'kms', 'sqs', 'sqsOnce'])
  // Tests in one process seal without KMS.
  for (const file of watching)
    for (const name of ['dynamodb', 'sqs', 'sqsOnce']) expect(readFileSync(file, 'utf8')).toContain(`${name}()`)
  expect(readFileSync('infra/local/guarded-functions.ts', 'utf8')).toContain('kms()')
})

test('a function without permissions, or an unknown one, may call nothing', () => {
  const isAllowed = roleCheck({ idle: [] })
  for (const key of ['idle', 'unknown'])
    expect(isAllowed(key, { action: 'dynamodb:GetItem', resource: 'Table', context: {} })).toBe(false)
})
