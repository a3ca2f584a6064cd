/** What an attempt leaves: the attempt, the event's state and the endpoint's health, whoever else writes them meanwhile. */
import { TransactionCanceledException, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Verdict } from '../../../lib/delivery/deliver-groups.ts'
import { organizationPartition } from '../../../lib/store/address.ts'
import { epochSeconds, toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { deliverToEndpoint, type EndpointDelivery } from '../../../lib/webhooks/deliver-to-endpoint.ts'
import { eventAddress, type NewEvent, SECONDS_KEPT } from '../../../lib/webhooks/event-item.ts'
import { registerEndpoint } from '../../../lib/webhooks/registrations.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../../support/faulty-receiver.ts'
import {
  attemptsAt,
  eventFor,
  type RegisteredEndpoint,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
} from '../../support/webhook-scene.ts'
import { failure, type StartedTable, startTable } from '../store/started-table.ts'

const _DAY = 24 * 3_600_000

const lines: string[] = []
let table: StartedTable
let receiver: FaultyReceiver
let endpoint: RegisteredEndpoint
let event: NewEvent
let body: string
/** Ms since the epoch. */
let now: number

beforeAll(async () => {
  process.env.LOG_LEVEL = 'debug'
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
  table = await startTable()
})
afterAll(async () => {
  expect(lines.filter((line) => /whsec_|v1,|text-of-the/.test(line))).toEqual([])
  await table.stop()
})
beforeEach(async () => {
  now = Date.now()
  lines.length = 0
  receiver = await startFaultyReceiver()
  endpoint = await registerAt(`${receiver.url}/hook`)
  event = eventFor(endpoint)
  body = await storeEvent(event)
})
afterEach(async () => {
  table.way = undefined
  await receiver.stop()
})

const deliver = (changes: Partial<EndpointDelivery> = {}): Promise<Verdict> =>
  deliverToEndpoint({ body, receipt: 1, clock: () => now, random: () => 0.5, ...changes })

/** Changes the item of an event or an endpoint behind the sender's back. */
const change = (address: { pk: string; sk: string }, values: Record<string, { S: string } | { N: string }>) =>
  table.dynamo.client.send(
    new UpdateItemCommand({
      TableName: table.dynamo.table,
      Key: toKey(address),
      UpdateExpression: `SET ${Object.keys(values)
        .map((name) => `#${name} = :${name}`)
        .join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(Object.keys(values).map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
    }),
  )
const changeEvent = (values: Parameters<typeof change>[1]) => change(eventAddress(event), values)
const _changeEndpoint = (values: Parameters<typeof change>[1]) =>
  change({ pk: organizationPartition(endpoint.orgId), sk: endpoint.kind }, values)

describe('the health of an endpoint', () => {
  test('is written when it is news, and not with every event', async () => {
    const versions: number[] = []
    for (const wait of [0, 1_000, 30_000, 60_000]) {
      now += wait
      await deliver({ body: await storeEvent(eventFor(endpoint)) })
      versions.push((await readRegistered(endpoint)).version)
    }
    expect(versions).toEqual([2, 2, 2, 3])
  })

  test('costs no request of its own: an event is two reads and one transaction', async () => {
    table.watch()
    await deliver()
    expect(table.requests).toEqual(['GetItem', 'GetItem', 'TransactWriteItems'])
  })

  test('is right, and every attempt noted, when many fail at the same time', async () => {
    receiver.behave({ status: 500 })
    const events = Array.from({ length: 12 }, (_, index) => eventFor(endpoint, { recordId: `record-${index}` }))
    const bodies = await Promise.all(events.map((one) => storeEvent(one)))
    const verdicts = await Promise.all(bodies.map((one) => deliver({ body: one })))
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['later']))
    expect(await attemptsAt(endpoint)).toHaveLength(12)
    for (const one of events) expect(await readStoredEvent(one)).toMatchObject({ state: 'pending', attempts: 1 })
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'failing', version: 2 })
  })

  test('is told as one metric when many get a 410 at the same time, and all of them are held', async () => {
    receiver.behave({ status: 410 })
    const events = Array.from({ length: 8 }, (_, index) => eventFor(endpoint, { recordId: `record-${index}` }))
    const bodies = await Promise.all(events.map((one) => storeEvent(one)))
    await Promise.all(bodies.map((one) => deliver({ body: one })))
    for (const one of events) expect((await readStoredEvent(one))?.state).toBe('held')
    expect(lines.filter((line) => line.includes('_aws'))).toHaveLength(1)
  })

  test('is left alone when the endpoint was replaced during the attempt', async () => {
    receiver.behave({ status: 410, after: 100 })
    const running = deliver()
    await expect.poll(() => receiver.received.length).toBe(1)
    const replacement = await registerAt(`${receiver.url}/other`, { orgId: endpoint.orgId })
    expect(await running).toMatchObject({ kind: 'later' })
    expect(await readRegistered(replacement)).toMatchObject({ status: 'active', version: 2 })
    expect(await deliver()).toEqual({ kind: 'done' })
  })

  test('begins anew when it is registered again, with what was on its way', async () => {
    receiver.behave({ status: 410 }, { status: 200 })
    await deliver()
    await transaction('@base', (unit) =>
      registerEndpoint(unit, { orgId: endpoint.orgId, kind: 'webhook', url: `${receiver.url}/hook` }),
    )
    const registered = await readRegistered(endpoint)
    expect([registered.status, registered.failingSince, registered.disabledReason]).toEqual([
      'active',
      undefined,
      undefined,
    ])
    await deliver({ body: await storeEvent(eventFor(endpoint)) })
    expect(receiver.received.at(-1)?.status).toBe(200)
  })
})

describe('an event that moves on during the attempt', () => {
  const during = async (status: number, values: Parameters<typeof changeEvent>[0]) => {
    receiver.behave({ status, after: 100 })
    const running = deliver()
    await expect.poll(() => receiver.received.length).toBe(1)
    await changeEvent(values)
    return running
  }

  test('stays as it is, and the attempt is listed all the same', async () => {
    const replayed = { attempts: { N: '0' }, state: { S: 'pending' } }
    await changeEvent({ attempts: { N: '4' } })
    expect(await during(200, replayed)).toEqual({ kind: 'done' })
    expect(await readStoredEvent(event)).toMatchObject({ state: 'pending', attempts: 0 })
    expect(await attemptsAt(endpoint)).toMatchObject([{ attempt: 5, outcome: 'delivered' }])
  })

  test('is read again soon when the attempt failed', async () => {
    expect(await during(500, { attempts: { N: '1' }, state: { S: 'delivered' } })).toEqual({
      kind: 'later',
      seconds: 1,
    })
    expect(await deliver()).toEqual({ kind: 'done' })
    expect(await readStoredEvent(event)).toMatchObject({ state: 'delivered' })
  })
})

describe('a fault of ours', () => {
  test.each(['GetItem', 'TransactWriteItems'])('of %s is thrown, and nothing is half written', async (command) => {
    table.way = (name, send) =>
      name === command ? Promise.reject(failure('InternalServerError', { $fault: 'server' })) : send()
    await expect(deliver()).rejects.toMatchObject({ code: 'store.unavailable' })
    table.way = undefined
    expect(await readStoredEvent(event)).toMatchObject({ state: 'pending', attempts: 0 })
    expect(await attemptsAt(endpoint)).toEqual([])
    expect(await deliver()).toEqual({ kind: 'done' })
  })

  test('of a crowded endpoint costs its health, never the event', async () => {
    let crowded = 0
    table.way = (name, send) => {
      if (name !== 'TransactWriteItems' || crowded === 4) return send()
      crowded += 1
      const CancellationReasons = [{ Code: 'None' }, { Code: 'None' }, { Code: 'TransactionConflict' }]
      return Promise.reject(new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons }))
    }
    expect(await deliver({ random: () => 0 })).toEqual({ kind: 'done' })
    expect(crowded).toBe(4)
    expect(await readStoredEvent(event)).toMatchObject({ state: 'delivered', attempts: 1 })
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'active', version: 1 })
  })
})

test('what an attempt leaves is gone after 30 days', async () => {
  await deliver()
  const [item] = await table.items(`@endpoint|${endpoint.id}|attempts`)
  expect(Number(item?.expiresAt?.N)).toBe(epochSeconds(now) + SECONDS_KEPT)
})
