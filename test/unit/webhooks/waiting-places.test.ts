/** Places at an endpoint that lets us wait: three at once, no attempt counted for those that wait, few receipts. */
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Verdict } from '../../../lib/delivery/deliver-groups.ts'
import { LONGEST_HIDING_SECONDS, WEBHOOK_RECEIPTS } from '../../../lib/delivery/retry-plan.ts'
import { organizationPartition } from '../../../lib/store/keys.ts'
import { toKey } from '../../../lib/store/table.ts'
import { deliverToEndpoint } from '../../../lib/webhooks/deliver-to-endpoint.ts'
import { FAILING_MS } from '../../../lib/webhooks/health.ts'
import { secondsWithoutPlace, takePlace } from '../../../lib/webhooks/waiting-places.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../../support/faulty-receiver.ts'
import {
  eventFor,
  type RegisteredEndpoint,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
} from '../../support/webhook-scene.ts'
import { failure, type StartedTable, startTable } from '../store/started-table.ts'

const HOUR = 3_600_000

let table: StartedTable
let receiver: FaultyReceiver
let endpoint: RegisteredEndpoint
/** Ms since the epoch. */
let now: number

beforeAll(async () => {
  table = await startTable()
})
afterAll(async () => {
  expect(await table.check()).toEqual([])
  await table.stop()
})
beforeEach(async () => {
  now = Date.now()
  receiver = await startFaultyReceiver()
  endpoint = await registerAt(`${receiver.url}/hook`)
})
afterEach(async () => {
  table.way = undefined
  await receiver.stop()
})

/** As after an hour of timeouts. */
const stall = () =>
  table.dynamo.client.send(
    new UpdateItemCommand({
      TableName: table.dynamo.table,
      Key: toKey({ pk: organizationPartition(endpoint.orgId), sk: 'webhook' }),
      UpdateExpression: 'SET #status = :failing, failingSince = :since, stalling = :yes',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':failing': { S: 'failing' },
        ':since': { S: new Date(now - HOUR).toISOString() },
        ':yes': { BOOL: true },
      },
    }),
  )

const deliver = (body: string): Promise<Verdict> =>
  deliverToEndpoint({ body, receipt: 1, clock: () => now, random: () => 0.5 })

/** Delivers an event of each of some records at once. */
const deliverAll = async (count: number) => {
  const events = Array.from({ length: count }, (_, index) => eventFor(endpoint, { recordId: `record-${index}` }))
  const bodies = await Promise.all(events.map((event) => storeEvent(event)))
  return { events, verdicts: await Promise.all(bodies.map(deliver)) }
}

describe('an endpoint that stalls', () => {
  test('should be asked three times at once; what waits has no attempt counted, and comes back later', async () => {
    await stall()
    receiver.behave({ status: 500, after: 100 })
    const { events, verdicts } = await deliverAll(10)
    expect(receiver.received).toHaveLength(3)
    const stored = await Promise.all(events.map(readStoredEvent))
    expect(stored.filter((event) => event?.attempts === 0)).toHaveLength(7)
    // A quarter of the hour for which it has been failing.
    expect(verdicts.filter((verdict) => verdict.kind === 'later' && verdict.seconds === 900)).toHaveLength(7)
  })

  test('should have its places free again after 20 s', async () => {
    await stall()
    const takeAll = async () => [
      await takePlace(endpoint.id, now),
      await takePlace(endpoint.id, now),
      await takePlace(endpoint.id, now),
    ]
    expect(await takeAll()).toEqual([true, true, true])
    now += 19_999
    expect(await takePlace(endpoint.id, now)).toBe(false)
    expect(await takePlace('another endpoint', now)).toBe(true)
    now += 1
    expect(await takeAll()).toEqual([true, true, true])
  })

  test('should get all of its events as soon as it has taken one', async () => {
    await stall()
    const [first] = (await deliverAll(1)).verdicts
    expect(first).toEqual({ kind: 'done' })
    expect((await readRegistered(endpoint)).stalling).toBeUndefined()
    const { verdicts } = await deliverAll(10)
    expect(new Set(verdicts.map(({ kind }) => kind))).toEqual(new Set(['done']))
  })

  test('should be known by the time that its failure took', async () => {
    receiver.behave('stall before the headers')
    const body = await storeEvent(eventFor(endpoint))
    const limits = { connectMs: 1_000, attemptMs: 1_500 }
    await deliverToEndpoint({ body, receipt: 1, clock: () => now, random: () => 0.5, transport: { limits } })
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'failing', stalling: true })
  })
})

test('an endpoint that fails at once is asked by all of its events', async () => {
  receiver.behave({ status: 500 })
  await deliverAll(1)
  await deliverAll(10)
  expect(receiver.received).toHaveLength(11)
  expect(await table.items(`@endpoint|${endpoint.id}|places`)).toEqual([])
})

test('a table that does not answer is no place that is taken', async () => {
  table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  await expect(takePlace(endpoint.id, now)).rejects.toMatchObject({ code: 'store.unavailable' })
})

describe('waiting for a place', () => {
  const since = new Date(0).toISOString()

  test('should take 15 s at least, and an eighth to three eighths of the time for which the endpoint has been failing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: FAILING_MS }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (time, chance) => {
          const seconds = secondsWithoutPlace(since, time, chance)
          expect(seconds).toBeGreaterThanOrEqual(Math.min(LONGEST_HIDING_SECONDS, Math.max(15, time / 8_000)))
          expect(seconds).toBeLessThanOrEqual(Math.min(LONGEST_HIDING_SECONDS, Math.max(15, (time * 3) / 8_000) + 1))
          expect(Number.isInteger(seconds)).toBe(true)
        },
      ),
    )
  })

  test('should take few receipts until the endpoint is disabled, whatever the chances are', () => {
    let receipts = 0
    for (let time = 0; time < FAILING_MS; time += secondsWithoutPlace(since, time, 0) * 1000) receipts += 1
    expect(receipts).toBeLessThanOrEqual(85)
    expect(WEBHOOK_RECEIPTS - 20 - receipts).toBeGreaterThanOrEqual(40)
  })
})
