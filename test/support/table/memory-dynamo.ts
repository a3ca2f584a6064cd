/**
 * DynamoDB and its stream in the test's own process: requests of the SDK are answered in the place of a connection. Tests of lib/store work on
 * the embedded database; what works above it needs no second one (test/unit/store/memory-dynamo.test.ts compares the two).
 */
import { setImmediate as immediate } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { MemoryDatabase } from '../../../infra/local/memory-table/memory-database.ts'
import { LAYOUT_ITEM } from '../../../lib/store/layout.ts'
import { CREDENTIALS, type Dynamo, REGION, watchWrites } from './dynamo.ts'

const utf8 = new TextDecoder()

const ENDPOINT = 'http://memory.invalid'

/** Starts an empty table of the name. */
export const startMemoryDynamo = (name = 'agent'): Dynamo => {
  const database = new MemoryDatabase()
  const { table } = database.create(name)
  void table.putAll([LAYOUT_ITEM])
  let isStopped = false

  const handle = async ({ headers, body }: { headers: Record<string, string>; body: Uint8Array }) => {
    await immediate()
    if (isStopped) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const { status, body: json } = await database.respond(headers['x-amz-target'] ?? '', utf8.decode(body))
    return { response: { statusCode: status, headers: {}, body: Buffer.from(json) } }
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
    clear: () => {
      table.clear()
      return table.putAll([LAYOUT_ITEM])
    },
    stop: () => {
      isStopped = true
      client.destroy()
      return Promise.resolve()
    },
  }
}
