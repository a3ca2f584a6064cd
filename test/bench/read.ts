/**
 * What get-credential-by-id costs beyond the one read of the table that it is made of: the handler against GetItem by a
 * client as the SDK makes it, which is the usual code, and against GetItem by the service's own
 * client, which is leaner.
 */
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyResult, Context } from 'aws-lambda'
import type { OperationEvent } from '../../lib/http/event.ts'
import type { Item } from '../../lib/store/table.ts'
import { gatewayEvent } from '../support/bench/gateway-event.ts'
import { median, quantile, rounded } from '../support/bench/quantile.ts'
import { printTable } from '../support/bench/table.ts'
import { CREDENTIALS, type Dynamo, REGION, startDynamo } from '../support/table/dynamo.ts'

/** Until then V8 still compiles what the handler adds: after half of it the ratios are 0.01 to 0.02 higher. */
const WARM_UP = 12_000
const ROUNDS = 4_000

const TARGET = 1.05

const NANOSECONDS_IN_MS = 1e6

/** A JSON-LD credential that has been issued, as Credo stores it. */
const RECORD = {
  id: '1d2f6f3a-8d5e-4b0b-9a3e-0c9d4b0f7c11',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:01.000Z',
  metadata: {},
  state: 'done',
  role: 'issuer',
  connectionId: '5f0f3f0e-6a37-4f0e-8b1c-2f5a1f6d9a22',
  threadId: 'b0a0c4be-0f6a-4f77-9d0e-3c8a5d7e1f33',
  protocolVersion: 'v2',
  autoAcceptCredential: 'always',
  credentials: [],
}

const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => 10_000 } as Context

type Call = () => Promise<unknown>

/** Makes calls that are timed without their making. */
interface Calls {
  /** By a client as the SDK makes it. */
  bare: () => Call
  /** By the service's own client (lib/store/client.ts). */
  own: () => Call
  handler: () => Call
}

/** Loads the service when its settings are there. */
const prepare = async ({ client, endpoint, table }: Dynamo): Promise<Calls> => {
  const { getCredentialById } = await import('../../functions/get-credential-by-id.ts')
  const { dynamodb } = await import('../../lib/store/client.ts')
  const { toRecordItem } = await import('../../lib/store/stored-record.ts')
  const { state, role, connectionId, threadId } = RECORD
  const tags = { state, role, connectionId, threadId }
  const item = toRecordItem({
    tenant: 'acme',
    type: 'CredentialRecord',
    id: RECORD.id,
    version: 1,
    value: RECORD,
    tags,
  })
  await client.send(new PutItemCommand({ TableName: table, Item: item }))

  const { pk, sk } = item
  const read = (by: DynamoDBClient) =>
    by.send(new GetItemCommand({ TableName: table, Key: { pk, sk } as Item, ConsistentRead: true }))
  const bare = new DynamoDBClient({ endpoint })
  const call = { method: 'GET', path: { credentialRecordId: RECORD.id }, caller: { tenantId: 'acme' } }
  return {
    bare: () => () => read(bare),
    own: () => () => read(dynamodb()),
    handler: () => {
      const event: OperationEvent = gatewayEvent(call)
      return async () => {
        const answer: APIGatewayProxyResult = await getCredentialById(event, context)
        if (answer.statusCode !== 200) throw new Error(`get-credential-by-id answers ${answer.body}`)
      }
    },
  }
}

const timed = async (call: Call): Promise<number> => {
  const startedAt = process.hrtime.bigint()
  await call()
  return Number(process.hrtime.bigint() - startedAt) / NANOSECONDS_IN_MS
}

const NAMES = ['bare', 'own', 'handler'] as const

/**
 * Times rounds of all three, each call the first of a round in turns: what slows the machine down slows all of them
 * down.
 */
const compare = async (calls: Calls): Promise<void> => {
  const rounds: Record<(typeof NAMES)[number], number>[] = []
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const ms = { bare: 0, own: 0, handler: 0 }
    for (const turn of NAMES.keys()) {
      const name = NAMES[Math.abs(round + turn) % NAMES.length] ?? 'bare'
      ms[name] = await timed(calls[name]())
    }
    if (round >= 0) rounds.push(ms)
  }
  const ratioTo = (name: 'bare' | 'own') => rounded(median(rounds.map((ms) => ms.handler / ms[name])), 3)
  const row = (label: string, name: keyof Calls) => {
    const samples = rounds.map((ms) => ms[name])
    return [label, rounded(median(samples), 3), rounded(quantile(samples, 0.99), 3)]
  }
  const ratio = ratioTo('bare')
  printTable(
    `One record, read in one process: ${ROUNDS} rounds`,
    ['call', 'p50, ms', 'p99, ms'],
    [
      row("GetItem by the SDK's client", 'bare'),
      row("GetItem by the service's client", 'own'),
      row('get-credential-by-id', 'handler'),
    ],
    [
      `Median of the rounds' ratios: ${ratio} to the SDK's client (target: at most ${TARGET}, ${ratio <= TARGET ? 'met' : 'missed'}), ${ratioTo('own')} to the service's.`,
    ],
  )
}

export const measureRead = async (): Promise<void> => {
  const dynamo = await startDynamo()
  Object.assign(process.env, {
    TABLE_NAME: dynamo.table,
    DYNAMODB_ENDPOINT: dynamo.endpoint,
    PUBLIC_URL: 'http://127.0.0.1',
    LOCAL_STAGE: 'true',
    LOG_LEVEL: 'warn',
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  })
  try {
    await compare(await prepare(dynamo))
  } finally {
    await dynamo.stop()
  }
}
