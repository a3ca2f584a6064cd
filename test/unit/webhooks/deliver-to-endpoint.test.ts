/** One delivery to an endpoint: what is sent and what is not, what is counted, and what is left when time and others go on. */
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Verdict } from '../../../lib/delivery/deliver-groups.ts'
import { WEBHOOK_PLAN, WEBHOOK_RECEIPTS } from '../../../lib/delivery/retry-plan.ts'
import { organizationPartition } from '../../../lib/store/address.ts'
import { epochSeconds, toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { deliverToEndpoint, type EndpointDelivery } from '../../../lib/webhooks/deliver-to-endpoint.ts'
import { type EventState, eventAddress, type NewEvent } from '../../../lib/webhooks/event-item.ts'
import { FAILING_MS } from '../../../lib/webhooks/health.ts'
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
import { type StartedTable, startTable } from '../store/started-table.ts'

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
    for (let receipt = receipts + 1; receipt < WEBHOOK_RECEIPTS; receipt += 50)
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
    expect(WEBHOOK_RECEIPTS).toBeGreaterThan(2 * 20)
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
