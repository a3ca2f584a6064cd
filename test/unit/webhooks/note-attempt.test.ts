/** What an attempt leaves: the attempt, the event's state and the endpoint's health, whoever else writes them meanwhile. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { epochSeconds } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { SECONDS_KEPT } from '../../../lib/webhooks/event-item.ts'
import { registerEndpoint } from '../../../lib/webhooks/registrations.ts'
import {
  attemptsAt,
  eventFor,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
} from '../../support/webhook-scene.ts'
import { failure } from '../store/started-table.ts'
import { deliveryScene } from './delivery-scene.ts'

const scene = deliveryScene()

describe('the health of an endpoint', () => {
  test('is written when it is news, and not with every event', async () => {
    const versions: number[] = []
    for (const wait of [0, 1_000, 30_000, 60_000]) {
      scene.now += wait
      await scene.deliver({ body: await storeEvent(eventFor(scene.endpoint)) })
      versions.push((await readRegistered(scene.endpoint)).version)
    }
    expect(versions).toEqual([2, 2, 2, 3])
  })

  test('costs no request of its own: an event is two reads and one transaction', async () => {
    scene.table.watch()
    await scene.deliver()
    expect(scene.table.requests).toEqual(['GetItem', 'GetItem', 'TransactWriteItems'])
  })

  test('is right, and every attempt noted, when many fail at the same time', async () => {
    scene.receiver.behave({ status: 500 })
    const events = Array.from({ length: 12 }, (_, index) => eventFor(scene.endpoint, { recordId: `record-${index}` }))
    const bodies = await Promise.all(events.map((one) => storeEvent(one)))
    const verdicts = await Promise.all(bodies.map((one) => scene.deliver({ body: one })))
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['later']))
    expect(await attemptsAt(scene.endpoint)).toHaveLength(12)
    for (const one of events) expect(await readStoredEvent(one)).toMatchObject({ state: 'pending', attempts: 1 })
    expect(await readRegistered(scene.endpoint)).toMatchObject({ status: 'failing', version: 2 })
  })

  test('is told as one metric when many get a 410 at the same time, and all of them are held', async () => {
    scene.receiver.behave({ status: 410 })
    const events = Array.from({ length: 8 }, (_, index) => eventFor(scene.endpoint, { recordId: `record-${index}` }))
    const bodies = await Promise.all(events.map((one) => storeEvent(one)))
    await Promise.all(bodies.map((one) => scene.deliver({ body: one })))
    for (const one of events) expect((await readStoredEvent(one))?.state).toBe('held')
    expect(scene.lines.filter((line) => line.includes('_aws'))).toHaveLength(1)
  })

  test('is left alone when the endpoint was replaced during the attempt', async () => {
    scene.receiver.behave({ status: 410, after: 100 })
    const running = scene.deliver()
    await expect.poll(() => scene.receiver.received.length).toBe(1)
    const replacement = await registerAt(`${scene.receiver.url}/other`, { orgId: scene.endpoint.orgId })
    expect(await running).toMatchObject({ kind: 'later' })
    expect(await readRegistered(replacement)).toMatchObject({ status: 'active', version: 2 })
    expect(await scene.deliver()).toEqual({ kind: 'done' })
  })

  test('begins anew when it is registered again, with what was on its way', async () => {
    scene.receiver.behave({ status: 410 }, { status: 200 })
    await scene.deliver()
    await transaction('@base', (unit) =>
      registerEndpoint(unit, { orgId: scene.endpoint.orgId, kind: 'webhook', url: `${scene.receiver.url}/hook` }),
    )
    const registered = await readRegistered(scene.endpoint)
    expect([registered.status, registered.failingSince, registered.disabledReason]).toEqual([
      'active',
      undefined,
      undefined,
    ])
    await scene.deliver({ body: await storeEvent(eventFor(scene.endpoint)) })
    expect(scene.receiver.received.at(-1)?.status).toBe(200)
  })
})

describe('an event that moves on during the attempt', () => {
  const during = async (status: number, values: Parameters<typeof scene.changeEvent>[0]) => {
    scene.receiver.behave({ status, after: 100 })
    const running = scene.deliver()
    await expect.poll(() => scene.receiver.received.length).toBe(1)
    await scene.changeEvent(values)
    return running
  }

  test('stays as it is, and the attempt is listed all the same', async () => {
    const replayed = { attempts: { N: '0' }, state: { S: 'pending' } }
    await scene.changeEvent({ attempts: { N: '4' } })
    expect(await during(200, replayed)).toEqual({ kind: 'done' })
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 0 })
    expect(await attemptsAt(scene.endpoint)).toMatchObject([{ attempt: 5, outcome: 'delivered' }])
  })

  test('is read again soon when the attempt failed', async () => {
    expect(await during(500, { attempts: { N: '1' }, state: { S: 'delivered' } })).toEqual({
      kind: 'later',
      seconds: 1,
    })
    expect(await scene.deliver()).toEqual({ kind: 'done' })
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered' })
  })
})

describe('a fault of ours', () => {
  test.each(['GetItem', 'TransactWriteItems'])('of %s is thrown, and nothing is half written', async (command) => {
    scene.table.way = (name, send) =>
      name === command ? Promise.reject(failure('InternalServerError', { $fault: 'server' })) : send()
    await expect(scene.deliver()).rejects.toMatchObject({ code: 'store.unavailable' })
    scene.table.way = undefined
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 0 })
    expect(await attemptsAt(scene.endpoint)).toEqual([])
    expect(await scene.deliver()).toEqual({ kind: 'done' })
  })

  test('of a crowded endpoint costs its health, never the event', async () => {
    let crowded = 0
    scene.table.way = (name, send) => {
      if (name !== 'TransactWriteItems' || crowded === 4) return send()
      crowded += 1
      const CancellationReasons = [{ Code: 'None' }, { Code: 'None' }, { Code: 'TransactionConflict' }]
      return Promise.reject(new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons }))
    }
    expect(await scene.deliver({ random: () => 0 })).toEqual({ kind: 'done' })
    expect(crowded).toBe(4)
    expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'delivered', attempts: 1 })
    expect(await readRegistered(scene.endpoint)).toMatchObject({ status: 'active', version: 1 })
  })
})

test('what an attempt leaves is gone after 30 days', async () => {
  await scene.deliver()
  const [item] = await scene.table.items(`@endpoint|${scene.endpoint.id}|attempts`)
  expect(Number(item?.expiresAt?.N)).toBe(epochSeconds(scene.now) + SECONDS_KEPT)
})
