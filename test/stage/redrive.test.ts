/** `npm run redrive`, as an operator types it, on the data of a running stage. */
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outboxItem, outcomeItem } from '../../lib/outbox/messages/message-item.ts'
import { newOutboxId } from '../../lib/outbox/messages/outbox-id.ts'
import { toRecordItem } from '../../lib/store/stored-record.ts'
import { endPrograms, runProgram, startProgram, withoutNpm } from '../support/stage/program.ts'
import { type RunningStage, startStage } from '../support/stage/stage.ts'
import { CREDENTIALS } from '../support/table/dynamo.ts'
import { inserted } from '../support/webhooks/changes.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { storedIn } from '../unit/webhooks/event-scenes.ts'
import { waitFor } from '../wallet/wait.ts'

/** Of the tests' environment, which the stage has too. */
const REGION = process.env.AWS_REGION ?? ''

let stage: RunningStage
let wallet: FaultyReceiver
let env: Record<string, string>

beforeAll(async () => {
  ;[stage, wallet] = await Promise.all([
    startStage({ env: { PUBLIC_URL: '', TOKEN_ISSUERS: '', LOG_LEVEL: 'warn' } }),
    startFaultyReceiver(),
  ])
  const sqs = new SQSClient({ endpoint: stage.sqsEndpoint, region: REGION, credentials: CREDENTIALS })
  const QueueName = `${stage.tableName}-WakeUpQueue.fifo`
  const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName }))
  env = {
    TABLE_NAME: stage.tableName,
    WAKE_UP_QUEUE_URL: QueueUrl,
    DYNAMODB_ENDPOINT: stage.dynamodbEndpoint,
    SQS_ENDPOINT: stage.sqsEndpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  }
})
afterAll(async () => {
  endPrograms()
  await Promise.all([stage?.stop(), wallet?.stop()])
})

const redrive = async (...args: string[]) => {
  const { code, stdout, stderr } = await runProgram('npm', ['run', 'redrive', '--', ...args], { env })
  return { code, said: withoutNpm(stdout).trim(), stderr }
}

test('messages that were given up since a time are sent again; earlier ones are not', async () => {
  const table = new DynamoDBClient({ endpoint: stage.dynamodbEndpoint, region: REGION, credentials: CREDENTIALS })
  const giveUp = async (connectionId: string, endedAt: string) => {
    const Item = outcomeItem.encode({
      ...{ tenant: '@base', connectionId, id: newOutboxId(), taken: 0, attempts: 290 },
      messages: [{ endpoint: `${wallet.url}/${connectionId}`, payload: JSON.stringify({ protected: connectionId }) }],
      ...{ createdAt: endedAt, endedAt, expiresAt: Math.floor(Date.now() / 1000) + 86_400 },
    })
    await table.send(new PutItemCommand({ TableName: stage.tableName, Item }))
  }
  await giveUp('before', '2026-01-01T00:00:00.000Z')
  await giveUp('since', '2026-01-03T00:00:00.000Z')
  const done = await redrive('--since', '2026-01-02T00:00:00Z')
  expect(done).toMatchObject({ code: 0, said: '1 messages were queued again' })
  await waitFor('the message', () => wallet.received.length > 0)
  expect(wallet.received.map(({ path }) => path)).toEqual(['/since'])
  table.destroy()
})

test('changes that were parked are dispatched, and are parked no more', async () => {
  Object.assign(process.env, env)
  const { park } = await import('../../lib/delivery/parked-changes.ts')
  const stored = storedIn('ProofRecord', 'done')
  expect(await park(inserted(toRecordItem({ ...stored, tenant: '@base' })))).toBe(true)
  expect(await redrive()).toMatchObject({ code: 0, said: '1 changes were dispatched, 0 failed again and stay parked' })
})

test('lanes without a wake-up are woken, after a yes', async () => {
  const table = new DynamoDBClient({ endpoint: stage.dynamodbEndpoint, region: REGION, credentials: CREDENTIALS })
  const Item = outboxItem.encode({
    ...{ tenant: '@base', connectionId: 'lost', id: newOutboxId(), taken: 0, attempts: 0 },
    messages: [{ endpoint: `${wallet.url}/lost`, payload: JSON.stringify({ protected: 'lost' }) }],
    createdAt: new Date().toISOString(),
  })
  await table.send(new PutItemCommand({ TableName: stage.tableName, Item }))
  table.destroy()
  for (const [answer, said] of [
    ['n', 'nothing was done'],
    ['y', 'lanes had no wake-up; the sweep wakes them within minutes'],
  ] as const) {
    const program = startProgram('npm', ['run', 'redrive', '--', '--lost'], { env })
    await program.says(/GB, for about \$0\.00.+Go on\?/)
    program.types(answer)
    expect(await program.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining(said) })
  }
})

test('says in one line what is wrong with the options', async () => {
  expect(await redrive('--since', 'yesterday')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--since is a time such as'),
  })
})

test('an item is printed as JSON: packed texts unpacked, and sealed values as stored', async () => {
  const table = new DynamoDBClient({ endpoint: stage.dynamodbEndpoint, region: REGION, credentials: CREDENTIALS })
  const record = { ...storedIn('ProofRecord', 'done'), tenant: 'acme', id: 'p1' }
  const sealed = { ...toRecordItem(record), sealed: { B: Buffer.from('sealed') } }
  await table.send(new PutItemCommand({ TableName: stage.tableName, Item: sealed }))
  const item = (...args: string[]) => runProgram('npm', ['run', 'item', '--', ...args], { env })
  const { code, stdout } = await item('acme|ProofRecord|p1', '~')
  expect(code).toBe(0)
  expect(JSON.parse(withoutNpm(stdout))).toEqual({
    ...{ pk: 'acme|ProofRecord|p1', sk: '~', kind: 'record', version: record.version },
    ...{ content: [record.value, record.tags], sealed: Buffer.from('sealed').toString('base64') },
  })
  expect(await item('acme|ProofRecord|p2')).toMatchObject({ code: 1, stderr: expect.stringContaining('no such item') })
  expect(await item()).toMatchObject({ code: 1, stderr: expect.stringContaining('usage: npm run item') })
})
