import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WEBHOOK_PLAN, WEBHOOK_RECEIPTS } from '../../../lib/delivery/retry-plan.ts'
import { organizationPartition } from '../../../lib/store/keys.ts'
import { epochSeconds } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { EventState } from '../../../lib/webhooks/event-item.ts'
import { FAILING_MS } from '../../../lib/webhooks/health.ts'
import { newSecret, PREVIOUS_SECONDS, sealSecret } from '../../../lib/webhooks/secrets.ts'
import {
  attemptsAt,
  eventFor,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
  verified,
} from '../../support/webhook-scene.ts'
import { deliveryScene } from './delivery-scene.ts'

const DAY = 24 * 3_600_000

const scene = deliveryScene()

describe('nothing is sent', () => {
  test.each<[EventState]>([['delivered'], ['held']])('of an event that is %s', async (state) => {
    await scene.changeEvent({ state: { S: state } })
    expect(await scene.deliver()).toEqual({ kind: 'done' })
    expect(scene.receiver.connections()).toBe(0)
  })

  test('of an event that is gone or has expired, nor of what is no pointer', async () => {
    await scene.changeEvent({ expiresAt: { N: String(epochSeconds()) } })
    expect(await scene.deliver()).toEqual({ kind: 'done' })
    expect(await scene.deliver({ body: '{"pk":"@endpoint|x|events","sk":"-"}' })).toEqual({ kind: 'done' })
    expect(await scene.deliver({ body: 'no pointer' })).toEqual({ kind: 'done' })
    expect(scene.receiver.connections()).toBe(0)
    expect(scene.lines).toHaveLength(3)
  })

  test('when the endpoint was replaced by another one, nor when it is gone: the event is dropped with a line in the log', async () => {
    await registerAt(`${scene.receiver.url}/other`, { orgId: scene.endpoint.orgId })
    expect(await scene.deliver()).toEqual({ kind: 'done' })
    const stranger = eventFor({ ...scene.endpoint, orgId: 'nobody' })
    expect(await scene.deliver({ body: await storeEvent(stranger) })).toEqual({ kind: 'done' })
    expect(scene.receiver.connections()).toBe(0)
    expect(scene.lines.map((line) => JSON.parse(line))).toMatchObject([
      { message: 'endpoint is gone: event dropped', event: scene.event.id, endpointId: scene.endpoint.id },
      { message: 'endpoint is gone: event dropped', event: stranger.id },
    ])
  })

  test('to a pending endpoint', async () => {
    await scene.changeEndpoint({ status: { S: 'pending' } })
    expect(await scene.deliver()).toEqual({ kind: 'done' })
    expect(scene.receiver.connections()).toBe(0)
  })

  test('to a disabled endpoint: its event is held, with the attempts that it had', async () => {
    await scene.changeEndpoint({ status: { S: 'disabled' } })
    await scene.changeEvent({ attempts: { N: '2' }, nextAttemptAt: { S: new Date(scene.now + DAY).toISOString() } })
    expect(await scene.deliver()).toEqual({ kind: 'done' })
    const { nextAttemptAt, ...held } = (await readStoredEvent(scene.event)) ?? {}
    expect(held).toMatchObject({ state: 'held', attempts: 2 })
    expect(nextAttemptAt).toBeUndefined()
    expect(scene.receiver.connections()).toBe(0)
    expect(await attemptsAt(scene.endpoint)).toEqual([])
  })

  test('of an event that was given up, until its message comes out of the dead-letter queue', async () => {
    await scene.changeEvent({ state: { S: 'failed' }, attempts: { N: '10' } })
    expect(await scene.deliver({ receipt: WEBHOOK_PLAN.attempts + 1 })).toEqual({ kind: 'spent' })
    expect(scene.receiver.connections()).toBe(0)
    scene.receiver.behave({ status: 500 }, { status: 200 })
    expect(await scene.deliver({ receipt: 1 })).toEqual({ kind: 'later', seconds: 5 })
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 1 })
    scene.now += 5_000
    expect(await scene.deliver({ receipt: 2 })).toEqual({ kind: 'done' })
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered', attempts: 2 })
  })
})

test('an event that is not due is hidden again, in steps, and no attempt is counted', async () => {
  await scene.changeEvent({ attempts: { N: '9' }, nextAttemptAt: { S: new Date(scene.now + DAY).toISOString() } })
  const waited: number[] = []
  for (;;) {
    const verdict = await scene.deliver({ receipt: waited.length + 1 })
    if (verdict.kind !== 'later') break
    expect((await readStoredEvent(scene.event))?.attempts).toBe(9)
    expect(scene.receiver.connections()).toBe(0)
    waited.push(verdict.seconds)
    scene.now += verdict.seconds * 1000
  }
  expect(waited).toHaveLength(3)
  for (const seconds of waited) expect(seconds).toBeLessThan(12 * 3600)
  expect(waited.reduce((sum, seconds) => sum + seconds, 0)).toBe(DAY / 1000)
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered', attempts: 10 })
})

describe('the plan', () => {
  /** Receives the message whenever it is visible, until it leaves or is left to the queue's redrive. */
  const wholePlan = async (random: () => number) => {
    const start = scene.now
    const posts: number[] = []
    for (let receipt = 1; ; receipt++) {
      const before = scene.receiver.received.length
      const verdict = await scene.deliver({ receipt, random })
      if (scene.receiver.received.length > before) posts.push((scene.now - start) / 1000)
      if (verdict.kind !== 'later') return { verdict, posts, receipts: receipt }
      scene.now += verdict.seconds * 1000
    }
  }

  test('is that of Standard Webhooks; then the event has failed and is left to the dead-letter queue', async () => {
    scene.receiver.behave({ status: 500 })
    const { verdict, posts, receipts } = await wholePlan(() => 0.5)
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * 3600)
    const due = [0, 5, 300, 1800, ...hours].map((_, index, delays) =>
      delays.slice(0, index + 1).reduce((sum, delay) => sum + delay, 0),
    )
    expect(posts).toEqual(due)
    expect(verdict).toEqual({ kind: 'spent' })
    expect(receipts).toBeLessThanOrEqual(20)
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'failed', attempts: 10 })
    expect(await readRegistered(scene.endpoint)).toMatchObject({ status: 'failing' })
    expect((await attemptsAt(scene.endpoint)).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(new Set(scene.receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([scene.event.id]),
    )
    for (let receipt = receipts + 1; receipt < WEBHOOK_RECEIPTS; receipt += 50)
      expect(await scene.deliver({ receipt })).toEqual({ kind: 'spent' })
    expect(scene.receiver.received).toHaveLength(10)
  })

  test('has jitter of 20 %, takes at most 20 receipts, and leaves the queue room for faults', async () => {
    scene.receiver.behave({ status: 500 })
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })), async (chances) => {
        scene.event = eventFor(scene.endpoint)
        scene.body = await storeEvent(scene.event)
        await scene.changeEndpoint({ failingSince: { S: new Date(scene.now).toISOString() } })
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
    scene.receiver.behave({ status: 503, headers: { 'retry-after': '9999999' } })
    const start = scene.now
    const { verdict, posts, receipts } = await wholePlan(() => 0.5)
    expect(verdict).toEqual({ kind: 'done' })
    expect(receipts).toBeLessThanOrEqual(20)
    expect(posts.at(-1)).toBeGreaterThanOrEqual(FAILING_MS / 1000)
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'held' })
    expect(await readRegistered(scene.endpoint)).toMatchObject({
      status: 'disabled',
      disabledReason: 'failing',
      failingSince: new Date(start).toISOString(),
    })
    const metrics = scene.lines.map((line) => JSON.parse(line)).filter(({ _aws }) => _aws !== undefined)
    expect(metrics).toEqual([
      {
        level: 'error',
        message: 'endpoint disabled',
        orgId: scene.endpoint.orgId,
        endpointId: scene.endpoint.id,
        kind: 'webhook',
        reason: 'failing',
        failingSince: new Date(start).toISOString(),
        lastError: 'status 503',
        Table: scene.table.dynamo.table,
        EndpointDisabled: 1,
        _aws: {
          Timestamp: scene.now,
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
  const old = scene.endpoint.secret
  const secret = newSecret()
  await transaction('@base', async (unit) => {
    const item = await scene.table.get({ pk: organizationPartition(scene.endpoint.orgId), sk: 'webhook' })
    if (item?.secret === undefined) throw new Error('no endpoint')
    const sealed = { B: await sealSecret(unit, scene.endpoint, secret) }
    const previousUntil = { N: String(epochSeconds(scene.now) + PREVIOUS_SECONDS) }
    unit.replace({ ...item, secret: sealed, previousSecret: item.secret, previousUntil }, 1)
  })
  await scene.deliver()
  scene.now += PREVIOUS_SECONDS * 1000
  await scene.deliver({ body: await storeEvent(eventFor(scene.endpoint)) })
  const [first, second] = scene.receiver.received
  if (first === undefined || second === undefined) throw new Error('nothing has arrived')
  expect(verified(secret, first)).toEqual(verified(old, first))
  expect(second.headers['webhook-signature']).toMatch(/^v1,\S+$/)
})
