/** The health of an endpoint that attempts write, with concurrent writes. */
import { describe, expect, test } from 'vitest'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { FAILING_MS, recordHealth } from '../../../lib/webhooks/health.ts'
import { registerEndpoint } from '../../../lib/webhooks/registrations.ts'
import {
  attemptsAt,
  eventFor,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
} from '../../support/webhooks/webhook-scene.ts'
import { failure } from '../store/started-table.ts'
import { deliveryScene } from './delivery-scene.ts'

const scene = deliveryScene()

const outcome = (status?: number): PostOutcome => ({
  ...(status === undefined ? { failure: 'timeout' as const } : { status }),
  ...{ headers: {}, body: '', milliseconds: 1 },
})
const metrics = () =>
  scene.lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'webhook.endpoint_disabled')
describe('the health of an endpoint', () => {
  test('is written when it is news, and not with every event', async () => {
    const versions: number[] = []
    for (const wait of [0, 1_000, 30_000, 60_000]) {
      scene.now += wait
      await scene.deliver({ lane: await storeEvent(eventFor(scene.endpoint, { recordId: `record-${wait}` })) })
      versions.push((await readRegistered(scene.endpoint)).version)
    }
    expect(versions).toEqual([2, 2, 2, 3])
  })

  test('is not written to another endpoint that has replaced it, with the same version', async () => {
    const endpoint = await readRegistered(scene.endpoint)
    const former = { ...endpoint, id: 'deleted' }
    expect(await recordHealth(former, outcome(500), scene.now)).toBeUndefined()
    expect(await readRegistered(scene.endpoint)).toEqual(endpoint)
  })

  test('keeps all that an endpoint has beside it', async () => {
    const before = await scene.table.get({ pk: `@org|${scene.endpoint.orgId}`, sk: 'webhook' })
    const endpoint = await readRegistered(scene.endpoint)
    const noted = await recordHealth(endpoint, outcome(500), scene.now)
    const at = new Date(scene.now).toISOString()
    expect(noted).toEqual({
      ...endpoint,
      ...{ status: 'failing', failingSince: at, lastFailureAt: at, lastError: 'status 500', version: 2 },
    })
    expect(await recordHealth(noted ?? endpoint, outcome(200), scene.now + 1)).toMatchObject({
      status: 'active',
      version: 3,
    })
    const after = await scene.table.get({ pk: `@org|${scene.endpoint.orgId}`, sk: 'webhook' })
    expect(after).toMatchObject(before === undefined ? {} : { ...before, version: { N: '3' } })
    expect(after).not.toHaveProperty('failingSince')
  })

  test('is logged when an endpoint is disabled: ids, a reason and a metric, no content', async () => {
    const since = new Date(scene.now - FAILING_MS).toISOString()
    await scene.changeEndpoint({ status: { S: 'failing' }, failingSince: { S: since } })
    await recordHealth(await readRegistered(scene.endpoint), outcome(503), scene.now)
    expect(metrics()).toMatchObject([
      {
        level: 'error',
        orgId: scene.endpoint.orgId,
        endpointId: scene.endpoint.id,
        kind: 'webhook',
        reason: 'failing',
        failingSince: since,
        lastError: 'status 503',
        EndpointDisabled: 1,
        alarm: 'UnreachableAlarm',
      },
    ])
  })

  test('is logged once if it continues to fail after it was disabled', async () => {
    for (const wait of [0, 60_000])
      await recordHealth(await readRegistered(scene.endpoint), outcome(410), scene.now + wait)
    expect(await readRegistered(scene.endpoint)).toMatchObject({ status: 'disabled', version: 3 })
    expect(metrics()).toHaveLength(1)
  })

  test('is computed again after a concurrent write', async () => {
    const read = await readRegistered(scene.endpoint)
    await recordHealth(read, outcome(410), scene.now)
    expect(await recordHealth(read, outcome(500), scene.now + 1)).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
    })
    expect(metrics()).toHaveLength(1)
  })

  test.each([
    [4, 'failing', 'is written in spite of four others that were faster'],
    [5, 'active', 'is not written after five conflicts'],
  ])('with %d conflicts is %s: it %s', async (conflicts, status) => {
    const read = await readRegistered(scene.endpoint)
    let { version } = read
    scene.table.way = async (name, send) => {
      if (name === 'UpdateItem' && version < read.version + conflicts)
        await scene.changeEndpoint({ version: { N: String(++version) } })
      return send()
    }
    await recordHealth(read, outcome(500), scene.now)
    scene.table.way = undefined
    expect((await readRegistered(scene.endpoint)).status).toBe(status)
  })

  test('is reset when it is registered again, and new events are delivered', async () => {
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
    await scene.deliver({ lane: await storeEvent(eventFor(scene.endpoint)) })
    expect(scene.receiver.received.at(-1)?.status).toBe(200)
  })

  test('throws if DynamoDB is unavailable, and is undefined if the endpoint was deleted', async () => {
    const endpoint = await readRegistered(scene.endpoint)
    scene.table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    await expect(recordHealth(endpoint, outcome(), scene.now)).rejects.toMatchObject({ code: 'store.unavailable' })
    scene.table.way = undefined
    await registerAt(`${scene.receiver.url}/other`, { orgId: scene.endpoint.orgId })
    expect(await recordHealth(endpoint, outcome(), scene.now)).toBeUndefined()
  })
})

test('an internal error leaves no partial attempt: the event waits, and is sent again', async () => {
  scene.table.way = (name, send) =>
    name === 'TransactWriteItems' ? Promise.reject(failure('InternalServerError', { $fault: 'server' })) : send()
  await expect(scene.deliver()).rejects.toThrow()
  scene.table.way = undefined
  expect(await readStoredEvent(scene.event)).toMatchObject({ state: 'pending', attempts: 0 })
  expect(await attemptsAt(scene.endpoint)).toEqual([])
})
