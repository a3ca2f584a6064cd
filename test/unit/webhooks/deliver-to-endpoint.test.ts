/** One delivery to an endpoint: what is sent and what is not, what is counted, and what is left when time and others go on. */
import { TransactionCanceledException, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Verdict } from '../../../lib/delivery/deliver-groups.ts'
import { WEBHOOK_PLAN, WEBHOOK_RECEIPTS } from '../../../lib/delivery/retry-plan.ts'
import { organizationPartition } from '../../../lib/store/address.ts'
import { epochSeconds, toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { deliverToEndpoint, type EndpointDelivery } from '../../../lib/webhooks/deliver-to-endpoint.ts'
import { type EventState, eventAddress, type NewEvent, SECONDS_KEPT } from '../../../lib/webhooks/event-item.ts'
import { FAILING_MS } from '../../../lib/webhooks/health.ts'
import { registerEndpoint } from '../../../lib/webhooks/registrations.ts'
import { newSecret, PREVIOUS_SECONDS, sealSecret } from '../../../lib/webhooks/secrets.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../../support/faulty-receiver.ts'
import {
  attemptsAt,
  eventFor,
  type RegisteredEndpoint,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
  verified,
} from '../../support/webhook-scene.ts'
import { failure, type StartedTable, startTable } from '../store/started-table.ts'

const DAY = 24 * 3_600_000

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
const changeEndpoint = (values: Parameters<typeof change>[1]) =>
  change({ pk: organizationPartition(endpoint.orgId), sk: endpoint.kind }, values)

describe('nothing is sent', () => {
  test.each<[EventState]>([['delivered'], ['held']])('of an event that is %s', async (state) => {
    await changeEvent({ state: { S: state } })
    expect(await deliver()).toEqual({ kind: 'done' })
    expect(receiver.connections()).toBe(0)
  })

  test('of an event that is gone or has expired, nor of what is no pointer', async () => {
    await changeEvent({ expiresAt: { N: String(epochSeconds()) } })
    expect(await deliver()).toEqual({ kind: 'done' })
    expect(await deliver({ body: '{"pk":"@endpoint|x|events","sk":"-"}' })).toEqual({ kind: 'done' })
    expect(await deliver({ body: 'no pointer' })).toEqual({ kind: 'done' })
    expect(receiver.connections()).toBe(0)
    expect(lines).toHaveLength(3)
  })

  test('when the endpoint was replaced by another one, nor when it is gone: the event is dropped with a line in the log', async () => {
    await registerAt(`${receiver.url}/other`, { orgId: endpoint.orgId })
    expect(await deliver()).toEqual({ kind: 'done' })
    const stranger = eventFor({ ...endpoint, orgId: 'nobody' })
    expect(await deliver({ body: await storeEvent(stranger) })).toEqual({ kind: 'done' })
    expect(receiver.connections()).toBe(0)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { message: 'endpoint is gone: event dropped', event: event.id, endpointId: endpoint.id },
      { message: 'endpoint is gone: event dropped', event: stranger.id },
    ])
  })

  test('to a pending endpoint', async () => {
    await changeEndpoint({ status: { S: 'pending' } })
    expect(await deliver()).toEqual({ kind: 'done' })
    expect(receiver.connections()).toBe(0)
  })

  test('to a disabled endpoint: its event is held, with the attempts that it had', async () => {
    await changeEndpoint({ status: { S: 'disabled' } })
    await changeEvent({ attempts: { N: '2' }, nextAttemptAt: { S: new Date(now + DAY).toISOString() } })
    expect(await deliver()).toEqual({ kind: 'done' })
    const { nextAttemptAt, ...held } = (await readStoredEvent(event)) ?? {}
    expect(held).toMatchObject({ state: 'held', attempts: 2 })
    expect(nextAttemptAt).toBeUndefined()
    expect(receiver.connections()).toBe(0)
    expect(await attemptsAt(endpoint)).toEqual([])
  })

  test('of an event that was given up, until its message comes out of the dead-letter queue', async () => {
    await changeEvent({ state: { S: 'failed' }, attempts: { N: '10' } })
    expect(await deliver({ receipt: WEBHOOK_PLAN.attempts + 1 })).toEqual({ kind: 'spent' })
    expect(receiver.connections()).toBe(0)
    receiver.behave({ status: 500 }, { status: 200 })
    expect(await deliver({ receipt: 1 })).toEqual({ kind: 'later', seconds: 5 })
    expect(await readStoredEvent(event)).toMatchObject({ state: 'pending', attempts: 1 })
    now += 5_000
    expect(await deliver({ receipt: 2 })).toEqual({ kind: 'done' })
    expect(await readStoredEvent(event)).toMatchObject({ state: 'delivered', attempts: 2 })
  })
})

test('an event that is not due is hidden again, in steps, and no attempt is counted', async () => {
  await changeEvent({ attempts: { N: '9' }, nextAttemptAt: { S: new Date(now + DAY).toISOString() } })
  const waited: number[] = []
  for (;;) {
    const verdict = await deliver({ receipt: waited.length + 1 })
    if (verdict.kind !== 'later') break
    expect((await readStoredEvent(event))?.attempts).toBe(9)
    expect(receiver.connections()).toBe(0)
    waited.push(verdict.seconds)
    now += verdict.seconds * 1000
  }
  expect(waited).toHaveLength(3)
  for (const seconds of waited) expect(seconds).toBeLessThan(12 * 3600)
  expect(waited.reduce((sum, seconds) => sum + seconds, 0)).toBe(DAY / 1000)
  expect(await readStoredEvent(event)).toMatchObject({ state: 'delivered', attempts: 10 })
})

describe('the plan', () => {
  /** Receives the message whenever it is visible, until it leaves or is left to the queue's redrive. */
  const wholePlan = async (random: () => number) => {
    const start = now
    const posts: number[] = []
    for (let receipt = 1; ; receipt++) {
      const before = receiver.received.length
      const verdict = await deliver({ receipt, random })
      if (receiver.received.length > before) posts.push((now - start) / 1000)
      if (verdict.kind !== 'later') return { verdict, posts, receipts: receipt }
      now += verdict.seconds * 1000
    }
  }

  test('is that of Standard Webhooks; then the event has failed and is left to the dead-letter queue', async () => {
    receiver.behave({ status: 500 })
    const { verdict, posts, receipts } = await wholePlan(() => 0.5)
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * 3600)
    const due = [0, 5, 300, 1800, ...hours].map((_, index, delays) =>
      delays.slice(0, index + 1).reduce((sum, delay) => sum + delay, 0),
    )
    expect(posts).toEqual(due)
    expect(verdict).toEqual({ kind: 'spent' })
    expect(receipts).toBeLessThanOrEqual(20)
    expect(await readStoredEvent(event)).toMatchObject({ state: 'failed', attempts: 10 })
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'failing' })
    expect((await attemptsAt(endpoint)).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([event.id]))
    for (let receipt = receipts + 1; receipt < WEBHOOK_RECEIPTS; receipt += 10)
      expect(await deliver({ receipt })).toEqual({ kind: 'spent' })
    expect(receiver.received).toHaveLength(10)
  })

  test('has jitter of 20 %, takes at most 20 receipts, and leaves the queue room for faults', async () => {
    receiver.behave({ status: 500 })
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), async (chances) => {
        event = eventFor(endpoint)
        body = await storeEvent(event)
        await changeEndpoint({ failingSince: { S: new Date(now).toISOString() } })
        const { posts, receipts, verdict } = await wholePlan(() => chances.next().value ?? 0)
        expect(verdict).toEqual({ kind: 'spent' })
        expect(receipts).toBeLessThanOrEqual(20)
        for (const [index, at] of posts.slice(1).entries()) {
          const planned = WEBHOOK_PLAN.planned(index + 1) / 1000
          expect(Math.abs(at - (posts[index] ?? 0) - planned)).toBeLessThanOrEqual(planned * 0.2 + 1)
        }
      }),
      { numRuns: 5 },
    )
    expect(WEBHOOK_RECEIPTS).toBeGreaterThanOrEqual(2 * 20)
  })

  test('ends early where an endpoint does nothing but fail for 5 days: it is disabled, its event held, and a metric tells', async () => {
    receiver.behave({ status: 503, headers: { 'retry-after': '9999999' } })
    const start = now
    const { verdict, posts, receipts } = await wholePlan(() => 0.5)
    expect(verdict).toEqual({ kind: 'done' })
    expect(receipts).toBeLessThanOrEqual(20)
    expect(posts.at(-1)).toBeGreaterThanOrEqual(FAILING_MS / 1000)
    expect(await readStoredEvent(event)).toMatchObject({ state: 'held' })
    expect(await readRegistered(endpoint)).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
      failingSince: new Date(start).toISOString(),
    })
    const metrics = lines.map((line) => JSON.parse(line)).filter(({ _aws }) => _aws !== undefined)
    expect(metrics).toEqual([
      {
        level: 'error',
        message: 'endpoint disabled',
        orgId: endpoint.orgId,
        endpointId: endpoint.id,
        kind: 'webhook',
        reason: 'failing',
        failingSince: new Date(start).toISOString(),
        lastError: 'status 503',
        Table: table.dynamo.table,
        EndpointDisabled: 1,
        _aws: {
          Timestamp: now,
          CloudWatchMetrics: [
            {
              Namespace: 'serverless-agent',
              Dimensions: [['Table']],
              Metrics: [{ Name: 'EndpointDisabled', Unit: 'Count' }],
            },
          ],
        },
      },
    ])
  })
})

test('amid a rotation both secrets sign, and a receiver may verify with either', async () => {
  const old = endpoint.secret
  const secret = newSecret()
  await transaction('@base', async (unit) => {
    const item = await table.get({ pk: organizationPartition(endpoint.orgId), sk: 'webhook' })
    if (item?.secret === undefined) throw new Error('no endpoint')
    const sealed = { B: await sealSecret(endpoint.orgId, 'webhook', secret) }
    const previousUntil = { N: String(epochSeconds(now) + PREVIOUS_SECONDS) }
    unit.replace({ ...item, secret: sealed, previousSecret: item.secret, previousUntil }, 1)
  })
  await deliver()
  now += PREVIOUS_SECONDS * 1000
  await deliver({ body: await storeEvent(eventFor(endpoint)) })
  const [first, second] = receiver.received
  if (first === undefined || second === undefined) throw new Error('nothing has arrived')
  expect(verified(secret, first)).toEqual(verified(old, first))
  expect(second.headers['webhook-signature']).toMatch(/^v1,\S+$/)
})

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
