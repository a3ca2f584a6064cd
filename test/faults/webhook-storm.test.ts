/** 10,000 changes of 100 records in 20 organizations, and a receiver that fails three times in ten: every event, in order, and only those. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { paginateScan } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { relayChanges } from '../../functions/relay-changes.ts'
import { WEBHOOK_RECEIPTS } from '../../lib/delivery/retry-plan.ts'
import { type StoredRecord, toRecordItem } from '../../lib/store/stored-record.ts'
import { insertTenant } from '../../lib/store/tenants.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { registerEndpoint } from '../../lib/webhooks/registrations.ts'
import { CapturedStream } from '../support/captured-stream.ts'
import { DeliveryThreads } from '../support/delivery-threads.ts'
import { CREDENTIALS, type Dynamo, REGION, startDynamo } from '../support/dynamo.ts'
import { checkTable } from '../support/table-checker.ts'
import { VirtualQueue } from '../support/virtual-queue.ts'
import { VirtualTime } from '../support/virtual-time.ts'

const ORGANIZATIONS = 20
const RECORDS = 100
const CHANGES = Number(process.env.CH ?? 100)
/** Each change of a state is followed by one that leaves the state as it is. */
const EVERY = 10
const FAILURES = 0.3
/** Changes that Lambda hands to the relay at once. */
const BATCH = 100

const TYPES = ['ProofRecord', 'CredentialRecord'] as const
const STATES = ['request-sent', 'presentation-received', 'done', 'abandoned']
const QUEUE_URL = 'http://127.0.0.1/webhooks.fifo'

interface Arrival {
  recordId: string
  sequence: number
  id: string
  taken: boolean
}

const arrivals: Arrival[] = []
const attempts = new Map<string, number>()

/** A number in [0, 1) that is the same in each run. */
const chance = (...of: unknown[]): number =>
  createHash('sha256').update(JSON.stringify(of)).digest().readUInt32BE() / 2 ** 32

/** What fails is drawn for each attempt at each event. */
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { sequence, record } = JSON.parse(Buffer.concat(chunks).toString()).data
    const attempt = (attempts.get(`${record.id} ${sequence}`) ?? 0) + 1
    attempts.set(`${record.id} ${sequence}`, attempt)
    const taken = chance(record.id, sequence, attempt) >= FAILURES
    arrivals.push({ recordId: record.id, sequence, id: String(request.headers['webhook-id']), taken })
    response.writeHead(taken ? 204 : 500).end()
  })
})

let dynamo: Dynamo
let stream: CapturedStream
let threads: DeliveryThreads
const time = new VirtualTime()
const queue = new VirtualQueue(time, WEBHOOK_RECEIPTS)

beforeAll(async () => {
  dynamo = await startDynamo()
  Object.assign(process.env, {
    TABLE_NAME: dynamo.table,
    DYNAMODB_ENDPOINT: dynamo.endpoint,
    MESSAGE_QUEUE_URL: 'http://127.0.0.1/messages.fifo',
    WEBHOOK_QUEUE_URL: QUEUE_URL,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  })
  stream = await CapturedStream.of(dynamo, ['record', 'event'])
  queue.receiveFrom(QUEUE_URL)
  threads = new DeliveryThreads(queue, time)
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})
afterAll(async () => {
  await threads.stop()
  receiver.close()
  await dynamo.stop()
})

const tenantOf = (record: number): string => `org${record % ORGANIZATIONS}`

const register = async (): Promise<void> => {
  const { port } = receiver.address() as AddressInfo
  for (let number = 0; number < ORGANIZATIONS; number++) {
    const id = tenantOf(number)
    await transaction(id, async (unit) => {
      insertTenant(unit, { id, label: id, orgId: id, createdAt: new Date().toISOString() })
      const kind = number % 2 === 0 ? 'webhook' : 'notification'
      await registerEndpoint(unit, { orgId: id, kind, url: `http://127.0.0.1:${port}/${id}` })
    })
  }
}

/** Version `version` of a record. Every tenth change of a state is followed by a version that has the same one. */
const versionOf = (number: number, version: number): StoredRecord & { changes: boolean } => {
  const changes = version % (EVERY + 1) !== 0
  const state = STATES[(version - Math.floor(version / (EVERY + 1))) % STATES.length] ?? ''
  const id = `record${number}`
  const at = new Date(time.now() + version).toISOString()
  const tags = { state, threadId: `thread${number}` }
  const value = { id, state, createdAt: new Date(time.now()).toISOString(), updatedAt: at, metadata: {} }
  return { tenant: tenantOf(number), type: TYPES[number % 2] ?? '', id, version, value, tags, changes }
}

const VERSIONS = CHANGES + CHANGES / EVERY - 1

/** Writes all versions of all records; returns the sequences that each record is to be heard of with. */
const change = async (): Promise<Map<string, number[]>> => {
  const expected = new Map<string, number[]>()
  for (let version = 1; version <= VERSIONS; version++)
    for (const half of [0, 1])
      await transaction('@base', async (unit) => {
        for (let number = half; number < RECORDS; number += 2) {
          const { changes, ...record } = versionOf(number, version)
          if (changes) expected.set(record.id, [...(expected.get(record.id) ?? []), version])
          if (version === 1) unit.insert(record)
          else unit.replace(toRecordItem(record), version - 1)
        }
      })
  return expected
}

/** Relays all that the stream has, in batches as Lambda makes them; what leaves is delivered meanwhile. */
const relay = async (): Promise<void> => {
  for (let batch = stream.take(BATCH); batch.length > 0; batch = stream.take(BATCH)) {
    expect(await relayChanges({ Records: batch })).toEqual({ batchItemFailures: [] })
    threads.start()
  }
}

const itemsOfKind = async (kind: string) => {
  const found = []
  for await (const { Items = [] } of paginateScan({ client: dynamo.client }, { TableName: dynamo.table }))
    found.push(...Items.filter((item) => item.kind?.S === kind))
  return found
}

test('every event of 10,000 changes arrives, in order for each record, and no other', async () => {
  const lap = (() => { let t = performance.now(); let c = process.cpuUsage(); return (what: string) => { const d = process.cpuUsage(c); console.log(what, Math.round(performance.now() - t), Math.round((d.user + d.system) / 1000)); t = performance.now(); c = process.cpuUsage() } })()
  await register()
  const expected = await change()
  lap('write')
  expect([...expected.values()].flat()).toHaveLength(RECORDS * CHANGES)
  await relay()
  lap('relay')
  await threads.finish()
  lap('deliver')

  const taken = arrivals.filter((arrival) => arrival.taken)
  const heard = Map.groupBy(taken, ({ recordId }) => recordId)
  for (const [recordId, sequences] of expected)
    expect(heard.get(recordId)?.map(({ sequence }) => sequence), recordId).toEqual(sequences)
  expect(heard.size).toBe(RECORDS)
  expect(new Set(taken.map(({ id }) => id)).size).toBe(RECORDS * CHANGES)
  const share = 1 - taken.length / arrivals.length
  expect(Math.abs(share - FAILURES)).toBeLessThan(0.02)

  const events = await itemsOfKind('event')
  expect(new Set(events.map(({ state }) => state?.S))).toEqual(new Set(['delivered']))
  expect(events.map(({ id }) => id?.S).toSorted()).toEqual(taken.map(({ id }) => id).toSorted())
  expect(await itemsOfKind('attempt')).toHaveLength(arrivals.length)
  expect(await checkTable(dynamo.client, dynamo.table)).toEqual([])
  expect({ queued: queue.size, dead: queue.dead }).toEqual({ queued: 0, dead: [] })
  lap('check')
}, 120_000)
