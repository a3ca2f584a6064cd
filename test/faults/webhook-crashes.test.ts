/** The delivery of events dies or fails at any call of AWS: every event still arrives, in order for its record, under the same id. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { QUICK_FOR } from '../../lib/outbox/destinations/circuit-breaker.ts'
import { destinationItem } from '../../lib/outbox/destinations/destination.ts'
import { endpointDestination } from '../../lib/outbox/wake-ups/keys.ts'
import { type NewEvent, pendingEvent, pendingEventItem } from '../../lib/webhooks/event-item.ts'
import { failuresOf, type InjectedFailure, startPipeline } from '../support/delivery/pipeline.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import {
  attemptsAt,
  eventFor,
  type RegisteredEndpoint,
  readRegistered,
  readStoredEvent,
  registerAt,
  verified,
} from '../support/webhooks/webhook-scene.ts'

const lines: string[] = []

vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
const pipeline = await stopAtEnd(startPipeline())
const receiver = await stopAtEnd(startFaultyReceiver())

beforeEach(() => {
  pipeline.plan()
  receiver.received.length = 0
  // The queues are in this process: hidden messages come back by this clock too.
  vi.useFakeTimers({ toFake: ['Date'] })
})

afterEach(() => {
  vi.useRealTimers()
})

interface Scene {
  endpoint: RegisteredEndpoint
  events: NewEvent[]
}

/** Writes events that are to be delivered, as the dispatcher does. */
const write = async (events: NewEvent[]): Promise<void> => {
  for (const event of events) await pipeline.put(pendingEventItem.encode(pendingEvent(event, new Date().toISOString())))
}

const statesOf = async (events: NewEvent[]) =>
  Promise.all(events.map(async (event) => (await readStoredEvent(event))?.state))

/** Events of some records for one endpoint. */
const commitScene = async (records: string[]): Promise<Scene> => {
  const endpoint = await registerAt(`${receiver.url}/hook`)
  // First attempts at an unknown endpoint are tested in test/faults/delivery.
  const quick = { destination: endpointDestination(endpoint.id), version: 1, quickUntil: Date.now() + QUICK_FOR }
  await pipeline.put(destinationItem.encode(quick))
  const events = records.map((recordId) => eventFor(endpoint, { recordId }))
  await write(events)
  return { endpoint, events }
}

const run = async (records: string[], mishap?: InjectedFailure): Promise<Scene> => {
  receiver.received.length = 0
  const scene = await commitScene(records)
  pipeline.plan(mishap)
  await pipeline.settle(async () => !(await statesOf(scene.events)).includes('pending'))
  return scene
}

const namesOfCalls = () => pipeline.calls.map(({ name }) => name)

test('at every single call: no event is lost, the order holds, and a repeated event has the same id', async () => {
  const flaky = () => receiver.behave({ status: 503 }, { status: 200 })
  flaky()
  await run(['a', 'b', 'a'])
  const names = namesOfCalls()
  expect(names).toContain('TransactWriteItemsCommand')
  for (const mishap of failuresOf(names)) {
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
    // Only an event that the endpoint has accepted and the table has not recorded may come twice.
    expect({ mishap, doubled: taken.length - first.length }).toEqual({
      mishap,
      doubled: expect.toSatisfy((count) => count <= 1),
    })
    for (const event of events) expect(await readStoredEvent(event)).toMatchObject({ state: 'delivered' })
    expect((await attemptsAt(endpoint)).filter(({ outcome }) => outcome === 'delivered').length).toBe(events.length)
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'active' })
    expect(pipeline.dead()).toBe(0)
  }
})

test('at every single call of a 410: the endpoint is disabled, and all of its events are held', async () => {
  const gone = () => receiver.behave({ status: 410 })
  gone()
  await run(['a', 'b'])
  for (const mishap of failuresOf(namesOfCalls())) {
    gone()
    const { endpoint, events } = await run(['a', 'b'], mishap)
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'gone' })
    expect({ mishap, states: await statesOf(events) }).toEqual({ mishap, states: ['held', 'held'] })
    expect(pipeline.dead()).toBe(0)
  }
})

test('no line of the log holds a secret, a signature or an event', () => {
  expect(lines.length).toBeGreaterThan(10)
  expect(lines.filter((line) => /whsec_|v1,|"data"/.test(line))).toEqual([])
})
