/** 10,000 changes of 100 records in 20 organizations, and a receiver that fails three times in ten: every event, in order, and only those. */
import { paginateScan } from '@aws-sdk/client-dynamodb'
import type { DynamoDBRecord } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { relayChanges } from '../../functions/relay-changes.ts'
import { WEBHOOK_RECEIPTS } from '../../lib/delivery/retry-plan.ts'
import { dynamodb } from '../../lib/store/client.ts'
import { type StoredRecord, toRecordItem } from '../../lib/store/stored-record.ts'
import { insertTenant } from '../../lib/store/tenants.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { registerEndpoint } from '../../lib/webhooks/registrations.ts'
import { CapturedStream } from '../support/captured-stream.ts'
import { DeliveryThreads } from '../support/delivery-threads.ts'
import { CREDENTIALS, type Dynamo, REGION, startDynamo } from '../support/dynamo.ts'
import { type FailingReceiver, startFailingReceiver } from '../support/failing-receiver.ts'
import { withOpenStack } from '../support/open-stack.ts'
import { checkTable } from '../support/table-checker.ts'
import { VirtualQueue } from '../support/virtual-queue.ts'
import { VirtualTime } from '../support/virtual-time.ts'

const ORGANIZATIONS = 20
const RECORDS = 100
/** Changes of the state of each record; every tenth is followed by a change that leaves the state as it is. */
const CHANGES = 100
const VERSIONS = CHANGES + CHANGES / 10 - 1
const FAILURES = 0.3
/** One of so many writes of the relay fails, half of them after they took effect. */
const FAULT_EVERY = 97
/** Changes that Lambda hands to the relay at once. */
const BATCH = 100

const TYPES = ['ProofRecord', 'CredentialRecord'] as const
const STATES = ['request-sent', 'presentation-received', 'done', 'abandoned']
const QUEUE_URL = 'http://127.0.0.1/webhooks.fifo'

const time = new VirtualTime()
const queue = new VirtualQueue(time, WEBHOOK_RECEIPTS)
const started = time.now()
let dynamo: Dynamo
let receiver: FailingReceiver
let stream: CapturedStream
let threads: DeliveryThreads

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
  failNowAndThen()
  stream = await CapturedStream.of(dynamo, ['record', 'event'])
  queue.receiveFrom(QUEUE_URL)
  receiver = await startFailingReceiver(FAILURES)
  threads = new DeliveryThreads(queue, time)
})
afterAll(async () => {
  await threads.stop()
  receiver.stop()
  await dynamo.stop()
})

/** Only the relay writes single items. */
const failNowAndThen = (): void => {
  let writes = 0
  withOpenStack(dynamodb()).middlewareStack.add(
    (next, { commandName }) =>
      async (parameters) => {
        const write = commandName === 'PutItemCommand' ? ++writes : 0
        const fails = write > 0 && write % FAULT_EVERY === 0
        if (fails && write % 2 === 1) throw new Error('injected')
        const answer = await next(parameters)
        if (fails) throw new Error('injected')
        return answer
      },
    { step: 'initialize', priority: 'high' },
  )
}

const tenantOf = (record: number): string => `org${record % ORGANIZATIONS}`

const register = async (): Promise<void> => {
  for (let number = 0; number < ORGANIZATIONS; number++) {
    const id = tenantOf(number)
    await transaction(id, async (unit) => {
      insertTenant(unit, { id, label: id, orgId: id, createdAt: new Date(started).toISOString() })
      const kind = number % 2 === 0 ? 'webhook' : 'notification'
      await registerEndpoint(unit, { orgId: id, kind, url: `${receiver.url}/${id}` })
    })
  }
}

const isNewState = (version: number): boolean => version % 11 !== 0

const recordOf = (number: number, version: number): StoredRecord => {
  const id = `record${number}`
  const state = STATES[(version - Math.floor(version / 11)) % STATES.length] ?? ''
  const [createdAt, updatedAt] = [0, version].map((later) => new Date(started + later).toISOString())
  const tags = { state, threadId: `thread${number}` }
  const value = { id, state, createdAt, updatedAt, metadata: {} }
  return { tenant: tenantOf(number), type: TYPES[number % 2] ?? '', id, version, value, tags }
}

/** Writes all versions of all records, half of the records in one transaction. */
const change = async (): Promise<void> => {
  for (let version = 1; version <= VERSIONS; version++)
    for (const half of [0, 1])
      await transaction('@base', async (unit) => {
        for (let number = half; number < RECORDS; number += 2)
          if (version === 1) unit.insert(recordOf(number, version))
          else unit.replace(toRecordItem(recordOf(number, version)), version - 1)
      })
}

/** Relays all that the stream has, in batches as Lambda makes them; what leaves is delivered meanwhile. Tells how often a batch failed. */
const relay = async (): Promise<number> => {
  let failures = 0
  let rest: DynamoDBRecord[] = []
  for (;;) {
    const batch = [...rest, ...stream.take(BATCH - rest.length)]
    if (batch.length === 0) return failures
    const { batchItemFailures } = await relayChanges({ Records: batch })
    const [first] = batchItemFailures
    const done = batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === first?.itemIdentifier)
    rest = done < 0 ? [] : batch.slice(done)
    failures += batchItemFailures.length
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
  await register()
  await change()
  expect(await relay()).toBeGreaterThan(50)
  await threads.finish()

  const { arrivals } = receiver
  const sequences = Array.from({ length: VERSIONS }, (_, index) => index + 1).filter(isNewState)
  expect(sequences).toHaveLength(CHANGES)
  const ofRecord = Map.groupBy(arrivals, ({ recordId }) => recordId)
  expect(ofRecord.size).toBe(RECORDS)
  for (const [recordId, heard] of ofRecord) {
    // No attempt at an event before the one before it was taken, and none after its own.
    const tried = heard.filter((_, index) => index === 0 || heard[index - 1]?.taken).map(({ sequence }) => sequence)
    expect({ recordId, tried }).toEqual({ recordId, tried: sequences })
    expect(heard.filter(({ taken }) => taken).map(({ sequence }) => sequence)).toEqual(sequences)
  }
  const taken = arrivals.filter((arrival) => arrival.taken).map(({ id }) => id)
  expect(new Set(taken).size).toBe(RECORDS * CHANGES)
  expect(Math.abs(1 - taken.length / arrivals.length - FAILURES)).toBeLessThan(0.02)

  const events = await itemsOfKind('event')
  expect(events.map(({ id }) => id?.S).toSorted()).toEqual(taken.toSorted())
  expect(new Set(events.map(({ state }) => state?.S))).toEqual(new Set(['delivered']))
  expect(await itemsOfKind('attempt')).toHaveLength(arrivals.length)
  expect(await checkTable(dynamo.client, dynamo.table)).toEqual([])
  expect({ queued: queue.size, dead: queue.dead }).toEqual({ queued: 0, dead: [] })
}, 240_000)
