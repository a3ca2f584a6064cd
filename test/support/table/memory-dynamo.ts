/**
 * DynamoDB and its stream in the test's own process: requests of the SDK are answered in the place of a connection. Tests of lib/store work on
 * the embedded database; what works above it needs no second one (test/unit/store/memory-dynamo.test.ts compares the two).
 */
import { setImmediate as immediate } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { type ItemChange, MemoryTable } from '../../simulation/memory-table.ts'
import { CREDENTIALS, type Dynamo, REGION, watchWrites } from './dynamo.ts'

/** Of a request or response, as JSON. */
type Json = Record<string, unknown>

const utf8 = new TextDecoder()

const MAX_RECORDS = 1_000

const ENDPOINT = 'http://memory.invalid'

/** What a stream shows of a change; undefined where nothing changed. */
const toRecord = ({ before, after }: ItemChange, number: number): Json | undefined => {
  const { pk, sk } = after ?? before ?? {}
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined
  return {
    eventID: String(number),
    eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
    eventSource: 'aws:dynamodb',
    awsRegion: REGION,
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
      Keys: { pk, sk },
      ...(after && { NewImage: after }),
      ...(before && { OldImage: before }),
      SequenceNumber: String(number).padStart(21, '0'),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  }
}

/** Starts an empty table of the name. */
export const startMemoryDynamo = (name = 'agent'): Dynamo => {
  const table = new MemoryTable()
  const records: Json[] = []
  let isStopped = false
  table.onChange = (change) => {
    const record = toRecord(change, records.length + 1)
    if (record !== undefined) records.push(record)
  }
  // So that the stream begins as that of a new table does.
  void table.clear()

  const ofStream = (operation: string, { ShardIterator = '0' }: { ShardIterator?: string }): Json => {
    if (operation === 'ListStreams') return { Streams: [{ StreamArn: name }] }
    if (operation === 'DescribeStream') return { StreamDescription: { Shards: [{ ShardId: 'shard' }] } }
    if (operation === 'GetShardIterator') return { ShardIterator: '0' }
    const from = Number(ShardIterator)
    const to = Math.min(records.length, from + MAX_RECORDS)
    return { Records: records.slice(from, to), NextShardIterator: String(to) }
  }

  const answer = async (target: string, input: Json): Promise<Json> => {
    const [service = '', operation = ''] = target.split('.')
    if (service.startsWith('DynamoDBStreams')) return ofStream(operation, input)
    return { ...(await table.answer(operation, input)) }
  }

  const failure = ({ name, message, ...more }: Error & Json): Json => ({ __type: `aws#${name}`, message, ...more })

  const handle = async ({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) => {
    await immediate()
    if (isStopped) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const [statusCode, answered] = await answer(headers['x-amz-target'] ?? '', JSON.parse(utf8.decode(body))).then(
      (output) => [200, output] as const,
      (error) => [400, failure(error)] as const,
    )
    const response = { statusCode, headers: {}, body: Buffer.from(JSON.stringify(answered)) }
    return { response }
  }

  const connect: Dynamo['connect'] = ({ config }) => {
    config.requestHandler = { handle }
    config.signer = async () => ({ sign: async (request: object) => request })
  }
  const client = new DynamoDBClient({ endpoint: ENDPOINT, region: REGION, credentials: CREDENTIALS, maxAttempts: 1 })
  return {
    ...watchWrites(name, client, connect),
    endpoint: ENDPOINT,
    table: name,
    client,
    connect,
    clear: () => table.clear(),
    stop: () => {
      isStopped = true
      client.destroy()
      return Promise.resolve()
    },
  }
}
