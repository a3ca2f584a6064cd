/** deliverWebhook dies or fails at any call of AWS: every event still arrives, in order for its record, under the same id. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type NewEvent, toEventItem } from '../../lib/webhooks/event-item.ts'
import { type Mishap, type Pipeline, startPipeline } from '../support/delivery-pipeline.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../support/faulty-receiver.ts'
import {
  attemptsAt,
  eventFor,
  type RegisteredEndpoint,
  readRegistered,
  readStoredEvent,
  registerAt,
  verified,
} from '../support/webhook-scene.ts'

const lines: string[] = []
let pipeline: Pipeline
let receiver: FaultyReceiver

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
  pipeline = await startPipeline()
  receiver = await startFaultyReceiver()
})

afterAll(async () => {
  await receiver.stop()
  await pipeline.stop()
})

beforeEach(() => {
  pipeline.plan()
  receiver.received.length = 0
  // The queues are in this process: what is hidden comes back by this clock too.
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Relays and delivers until nothing is left; a retry's delay passes in no time. */
const settle = async (): Promise<void> => {
  for (let round = 0; round < 100; round++) {
    const left = await pipeline.relayOnce()
    const received = await pipeline.deliverOnce(1, 'webhooks')
    if (left === 0 && pipeline.queued() === 0) return
    if (received === 0) vi.setSystemTime(Date.now() + 3_000)
  }
  throw new Error('the pipeline did not settle')
}

interface Scene {
  endpoint: RegisteredEndpoint
  events: NewEvent[]
}

/** Events of some records for one endpoint, as the relay has written them. */
const commitScene = async (records: string[]): Promise<Scene> => {
  const endpoint = await registerAt(`${receiver.url}/hook`)
  const events = records.map((recordId) => eventFor(endpoint, { recordId }))
  for (const event of events) await pipeline.put(toEventItem(event, 'pending'))
  return { endpoint, events }
}

const run = async (records: string[], mishap?: Mishap): Promise<Scene> => {
  receiver.received.length = 0
  const scene = await commitScene(records)
  pipeline.plan(mishap)
  await settle()
  return scene
}

/** Each call of a run without a mishap, with each thing that may befall it. */
const mishaps = (calls: number): Mishap[] =>
  Array.from({ length: calls }, (_, index) =>
    (['dies', 'fails'] as const).flatMap((kind) =>
      (['before', 'after'] as const).map((when) => ({ call: index + 1, kind, when })),
    ),
  ).flat()

const namesOfCalls = () => pipeline.calls.map(({ name }) => name)

test('at every single call: nothing is lost, the order holds, and a repeat has the id that the first one had', async () => {
  const flaky = () => receiver.behave({ status: 503 }, { status: 200 })
  flaky()
  await run(['a', 'b', 'a'])
  const names = namesOfCalls()
  expect(new Set(names)).toEqual(
    new Set([
      'SendMessageBatchCommand',
      'GetItemCommand',
      'TransactWriteItemsCommand',
      'ChangeMessageVisibilityBatchCommand',
    ]),
  )
  for (const mishap of mishaps(names.length)) {
    flaky()
    const { endpoint, events } = await run(['a', 'b', 'a'], mishap)
    for (const request of receiver.received) verified(endpoint.secret, request)
    const taken = receiver.received
      .filter(({ status }) => status === 200)
      .map(({ headers }) => String(headers['webhook-id']))
    const first = [...new Set(taken)]
    const ofRecord = (recordId: string) => events.filter((event) => event.recordId === recordId).map(({ id }) => id)
    for (const recordId of ['a', 'b'])
      expect({ mishap, arrived: first.filter((id) => ofRecord(recordId).includes(id)) }).toEqual({
        mishap,
        arrived: ofRecord(recordId),
      })
    // What the endpoint has taken and the table has not heard of is all that may come twice.
    const unnoted = names[mishap.call - 1] === 'TransactWriteItemsCommand' && mishap.when === 'before'
    expect({ mishap, doubled: taken.length - first.length }).toEqual({
      mishap,
      doubled: expect.toSatisfy((count) => count <= (unnoted ? 1 : 0)),
    })
    for (const event of events) expect(await readStoredEvent(event)).toMatchObject({ state: 'delivered' })
    expect((await attemptsAt(endpoint)).filter(({ outcome }) => outcome === 'delivered').length).toBe(events.length)
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'active' })
    expect([pipeline.queued(), pipeline.dead()]).toEqual([0, 0])
  }
}, 60_000)

test('at every single call of a 410: the endpoint is disabled, and all of its events are held', async () => {
  const gone = () => receiver.behave({ status: 410 })
  gone()
  await run(['a', 'b'])
  for (const mishap of mishaps(pipeline.calls.length)) {
    gone()
    const { endpoint, events } = await run(['a', 'b'], mishap)
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'gone' })
    const states = await Promise.all(events.map(async (event) => (await readStoredEvent(event))?.state))
    expect({ mishap, states }).toEqual({ mishap, states: ['held', 'held'] })
    expect([pipeline.queued(), pipeline.dead()]).toEqual([0, 0])
  }
}, 60_000)

test('what has used up its plan is in the dead-letter queue, and the next event of its record goes on', async () => {
  receiver.behave(...(Array.from({ length: 10 }, () => ({ status: 500 })) as [{ status: number }]), { status: 200 })
  const endpoint = await registerAt(`${receiver.url}/hook`)
  const [lost, next] = [eventFor(endpoint), eventFor(endpoint)]
  for (const event of [lost, next]) await pipeline.put(toEventItem(event, 'pending'))
  pipeline.plan()
  const start = Date.now()
  for (let round = 0; (await pipeline.relayOnce()) + pipeline.queued() > 0 && round < 1_000; round++)
    if ((await pipeline.deliverOnce(1, 'webhooks')) === 0) vi.setSystemTime(Date.now() + 600_000)
  expect((Date.now() - start) / 3_600_000).toBeGreaterThan(60)
  expect(await readStoredEvent(lost)).toMatchObject({ state: 'failed', attempts: 10 })
  expect(await readStoredEvent(next)).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([
    ...Array.from({ length: 10 }, () => lost.id),
    next.id,
  ])
  expect(pipeline.dead()).toBe(1)
})

test('no line of the log holds a secret, a signature or an event', () => {
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.filter((line) => /whsec_|v1,|"data"/.test(line))).toEqual([])
})
