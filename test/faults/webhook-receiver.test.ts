/** Every fault that a receiver of webhooks may have, by name, and what the sender does: signed, guarded, bounded, retried by plan. */
import { randomUUID } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { POST_LIMITS, type PostFailure } from '../../lib/egress/post.ts'
import { deliverLane } from '../../lib/outbox/deliver-lane.ts'
import { destinationItem } from '../../lib/outbox/destination.ts'
import { endpointDestination } from '../../lib/outbox/keys.ts'
import { laneItem } from '../../lib/outbox/lane.ts'
import type { Transport } from '../../lib/outbox/messages.ts'
import type { LaneWakeUp } from '../../lib/outbox/wake-up.ts'
import type { NewEvent } from '../../lib/webhooks/event-item.ts'
import { openEventLane } from '../../lib/webhooks/event-lane.ts'
import { certificateFor } from '../support/webhooks/certificate.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import {
  attemptsAt,
  eventFor,
  type RegisteredEndpoint,
  readRegistered,
  readStoredEvent,
  registerAt,
  storeEvent,
  verified,
} from '../support/webhooks/webhook-scene.ts'
import { nameQueues, watchQueues } from '../unit/outbox/sent-wake-ups.ts'
import { useTable } from '../unit/store/use-table.ts'

/** Ms: ten times what an answer needs on a busy machine. */
const LIMITS = { connectMs: 2_000, attemptMs: 3_000 }
const NAME = 'hooks.example'
const toLoopback: LookupFunction = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

const lines: string[] = []
let receiver: FaultyReceiver
let endpoint: RegisteredEndpoint
let event: NewEvent
/** Of the event. */
let lane: string
/** Ms since the epoch. */
let now: number

process.env.LOG_LEVEL = 'debug'
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
nameQueues()
const table = await useTable()
watchQueues()

const targetAt = async (url: string) => {
  endpoint = await registerAt(url)
  event = eventFor(endpoint, { body: '{"type":"endpoint.test","data":{"text":"content-of-the-event"}}' })
  lane = await storeEvent(event)
}

beforeEach(async () => {
  now = Date.now()
  receiver = await startFaultyReceiver()
  await targetAt(`${receiver.url}/hook`)
})

afterEach(async () => {
  await receiver.stop()
})

/** What became of the lane: nothing more is to be done, it waits for a time, or until its endpoint answers again. */
type Verdict = { kind: 'done' } | { kind: 'later'; seconds: number } | { kind: 'closed'; waiting: string }

const verdict = async (): Promise<Verdict> => {
  const item = await table.get(laneItem.addressOf({ lane }))
  const { dueAt, waiting } = item === undefined ? {} : laneItem.decode(item)
  if (waiting !== undefined) return { kind: 'closed', waiting }
  return dueAt === undefined ? { kind: 'done' } : { kind: 'later', seconds: Math.ceil((dueAt - now) / 1000) }
}

/** One turn of the event's lane; jitter of nothing. */
const deliver = async (
  transport: Transport = {},
  reason: LaneWakeUp['reason'] = { kind: 'committed' },
): Promise<Verdict> => {
  await deliverLane(
    { lane, reason },
    {
      now: () => now,
      random: () => 0.5,
      newId: randomUUID,
      pause: async () => {},
      after: () => () => {},
      startUntil: Number.POSITIVE_INFINITY,
      queue: 'slow',
      open: (name) => openEventLane(name, { limits: LIMITS, ...transport }),
    },
  )
  return verdict()
}

const stateOfEvent = async () => {
  const stored = await readStoredEvent(event)
  return { state: stored?.state, attempts: stored?.attempts }
}

/** The wake-up that comes next. */
const reasonAfter = async (came: Verdict): Promise<LaneWakeUp['reason']> => {
  if (came.kind !== 'closed') return { kind: 'committed' }
  const destination = endpointDestination(endpoint.id)
  const item = await table.get(destinationItem.addressOf({ destination }))
  const at = item === undefined ? 0 : (destinationItem.decode(item).dueAt ?? 0)
  return { kind: 'probe', waiting: came.waiting, destination, at }
}

/** The event has arrived, once, signed, and nothing more is to be done. */
const expectTaken = async (came: Verdict) => {
  expect(came).toEqual({ kind: 'done' })
  expect(await stateOfEvent()).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(await attemptsAt(endpoint)).toMatchObject([{ eventId: event.id, attempt: 1, outcome: 'delivered' }])
  expect(await readRegistered(endpoint)).toMatchObject({ status: 'active', lastSuccessAt: new Date(now).toISOString() })
  expect(await deliver()).toEqual({ kind: 'done' })
  expect(receiver.received).toHaveLength(1)
}

interface Met {
  status?: number
  failure?: PostFailure
  error: string
  /** Seconds until the next attempt. */
  seconds?: number
}

/** The attempt has failed and is noted, and the next one, in its time, brings the same event. */
const expectTriedAgain = async (came: Verdict, { status, failure, error, seconds = 5 }: Met) => {
  if (came.kind !== 'closed') expect(came).toEqual({ kind: 'later', seconds: Math.ceil(seconds) })
  expect(await stateOfEvent()).toEqual({ state: 'pending', attempts: 1 })
  const [attempt, ...others] = await attemptsAt(endpoint)
  expect(attempt).toMatchObject({ eventId: event.id, attempt: 1, outcome: 'failed' })
  expect({ status: attempt?.status, failure: attempt?.failure }).toEqual({ status, failure })
  expect(others).toEqual([])
  expect(await readRegistered(endpoint)).toMatchObject({ status: 'failing', lastError: error })

  receiver.behave({ status: 204 })
  const before = receiver.connections()
  expect(await deliver()).toMatchObject({ kind: came.kind })
  expect(receiver.connections()).toBe(before)
  now += seconds * 1000
  // An endpoint that cannot be reached is probed; any other one is asked again when it is time.
  expect(await deliver({ resolve: toLoopback }, await reasonAfter(came))).toEqual({ kind: 'done' })
  const last = receiver.received.at(-1)
  expect(last?.headers).toMatchObject({ 'webhook-id': event.id, 'webhook-timestamp': String(Math.floor(now / 1000)) })
  expect(last?.body).toBe(event.body)
  expect(await stateOfEvent()).toMatchObject({ state: 'delivered', attempts: 2 })
  expect(await readRegistered(endpoint)).toMatchObject({ status: 'active' })
}

describe('a receiver that takes it', () => {
  test('2xx: has the very text, signed for it, under the id of the event', async () => {
    receiver.behave({ status: 201, body: 'thanks' })
    await expectTaken(await deliver())
    const [request] = receiver.received
    if (request === undefined) throw new Error('nothing has arrived')
    expect(verified(endpoint.secret, request)).toEqual(JSON.parse(event.body))
    expect(request).toMatchObject({
      path: '/hook',
      body: event.body,
      headers: {
        'webhook-id': event.id,
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^serverless-agent\/\d+\.\d+\.\d+/),
      },
    })
    expect(await attemptsAt(endpoint)).toMatchObject([{ status: 201, response: 'thanks' }])
  })

  test('slow 2xx: is waited for', async () => {
    receiver.behave({ status: 200, after: 250 })
    await expectTaken(await deliver())
    expect((await attemptsAt(endpoint))[0]?.milliseconds).toBeGreaterThanOrEqual(240)
  })

  test.each(['stall amid the body', 'reset amid the body'] as const)(
    '%s of a 2xx: the head has said that it has the event, and a repeat would be a second one',
    async (fault) => {
      receiver.behave(fault)
      await expectTaken(await deliver())
      expect((await attemptsAt(endpoint))[0]).toMatchObject({ status: 200, response: 'the first part' })
    },
  )

  test('endless body of a 2xx: is read to 64 KB and shown to 1 KB, and the connection is closed', async () => {
    receiver.behave('endless body')
    await expectTaken(await deliver())
    const [attempt] = await attemptsAt(endpoint)
    expect(attempt?.response).toBe('x'.repeat(1024))
    await expect.poll(() => receiver.open()).toBe(0)
  })
})

describe('a receiver that sends it elsewhere', () => {
  test('302 to loopback: is a failure, and nobody goes there', async () => {
    const other = await startFaultyReceiver()
    receiver.behave({ status: 302, headers: { location: `${other.url}/` } })
    await expectTriedAgain(await deliver(), { status: 302, error: 'status 302' })
    expect(other.connections()).toBe(0)
    await other.stop()
  })

  test.each([301, 307, 308])('%i to the metadata address: is a failure, and nobody goes there', async (status) => {
    receiver.behave({ status, headers: { location: 'http://169.254.169.254/latest/meta-data/' } })
    await expectTriedAgain(await deliver(), { status, error: `status ${status}` })
    expect(receiver.connections()).toBe(2)
  })
})

describe('a receiver that refuses it', () => {
  test.each([400, 404, 500, 501])('%i: is asked again after 5 s', async (status) => {
    receiver.behave({ status, body: 'no' })
    await expectTriedAgain(await deliver(), { status, error: `status ${status}` })
  })

  test('500 with Retry-After: keeps to the plan; the header is none of its', async () => {
    receiver.behave({ status: 500, headers: { 'retry-after': '9' } })
    await expectTriedAgain(await deliver(), { status: 500, error: 'status 500' })
  })

  test.each([
    ['in seconds', () => '7', 7],
    ['as a date', () => new Date(now + 8_000).toUTCString(), 8],
    ['that is garbage', () => 'soon', 5],
    ['that hurries', () => '0', 2.5],
    ['that holds up', () => '86400', 10],
  ])(
    '429 with a Retry-After %s: is asked again when it says, within half and double of the plan',
    async (_, header, seconds) => {
      now = Math.floor(now / 1000) * 1000
      receiver.behave({ status: 429, headers: { 'retry-after': header() } })
      await expectTriedAgain(await deliver(), { status: 429, error: 'status 429', seconds })
    },
  )

  test.each([502, 503, 504])('%i with a Retry-After: is asked again when it says', async (status) => {
    receiver.behave({ status, headers: { 'retry-after': '7' } })
    await expectTriedAgain(await deliver(), { status, error: `status ${status}`, seconds: 7 })
  })

  test('410: is disabled at once, its event is held, and it is asked no more', async () => {
    receiver.behave({ status: 410, body: 'gone' }, { status: 200 })
    expect(await deliver()).toEqual({ kind: 'done' })
    expect(await stateOfEvent()).toMatchObject({ state: 'held', attempts: 1 })
    expect(await readRegistered(endpoint)).toMatchObject({
      status: 'disabled',
      disabledReason: 'gone',
      disabledAt: new Date(now).toISOString(),
      lastError: 'status 410',
    })
    const next = eventFor(endpoint)
    lane = await storeEvent(next)
    expect(await deliver()).toEqual({ kind: 'done' })
    expect(await readStoredEvent(next)).toMatchObject({ state: 'held', attempts: 0 })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a receiver that breaks off', () => {
  test('reset before the body was read: is asked again', async () => {
    receiver.behave('reset before the body was read')
    await expectTriedAgain(await deliver(), { failure: 'reset', error: 'reset: ECONNRESET' })
  })

  test('reset after the body was read: is asked again, with the same id, for it may have the event already', async () => {
    receiver.behave('reset after the body was read')
    await expectTriedAgain(await deliver(), { failure: 'reset', error: 'reset: ECONNRESET' })
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event.id, event.id])
  })

  test('stall before the headers: is waited for as long as an attempt may take, and asked again', async () => {
    receiver.behave('stall before the headers')
    await expectTriedAgain(await deliver(), { failure: 'timeout', error: 'timeout: not done in 3000 ms' })
  })

  test('an answer that is not HTTP: is asked again', async () => {
    receiver.behave('garbage')
    await expectTriedAgain(await deliver(), { failure: 'response', error: expect.stringMatching(/^response: HPE_/) })
  })

  test('nobody there: is asked again', async () => {
    const { port } = receiver
    await receiver.stop()
    const came = await deliver()
    receiver = await startFaultyReceiver(undefined, port)
    expect(came.kind).toBe('closed')
    await expectTriedAgain(came, { failure: 'connect', error: 'connect: ECONNREFUSED' })
  })
})

describe('a receiver that is not who its name says', () => {
  const certified = async (of: string, options?: { expired: boolean }) => {
    const certificate = certificateFor(of, options)
    await receiver.stop()
    receiver = await startFaultyReceiver(certificate)
    await targetAt(`https://${NAME}:${receiver.port}/hook`)
    return certificate.cert
  }

  test.each([
    ['that nobody vouches for', NAME, false, undefined, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['for another name', 'other.example', true, undefined, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has expired', NAME, true, { expired: true }, 'CERT_HAS_EXPIRED'],
  ])('bad certificate, one %s: hears nothing of the event', async (_name, of, vouched, options, code) => {
    const authorities = await certified(of, options)
    expect(await deliver({ resolve: toLoopback, ...(vouched && { authorities }) })).toMatchObject({ kind: 'closed' })
    expect(await attemptsAt(endpoint)).toMatchObject([{ failure: 'tls', outcome: 'failed' }])
    expect(await readRegistered(endpoint)).toMatchObject({ status: 'failing', lastError: `tls: ${code}` })
    expect(receiver.received).toEqual([])
  })

  test('a good certificate: has the event', async () => {
    const authorities = await certified(NAME)
    await expectTaken(await deliver({ resolve: toLoopback, authorities }))
  })
})

describe('a DNS answer that changes between look-ups', () => {
  /** Answers with each of the addresses in turn; the last one stays. */
  const rebinding = (...addresses: string[]) => {
    const asked: string[] = []
    const resolve: LookupFunction = (name, _options, callback) => {
      asked.push(name)
      callback(null, [{ address: addresses[asked.length - 1] ?? addresses.at(-1) ?? '', family: 4 }])
    }
    return { asked, resolve }
  }

  beforeEach(() => targetAt(`http://${NAME}:${receiver.port}/hook`))

  test('is asked once: the address that was checked is the one that is connected to', async () => {
    const { asked, resolve } = rebinding('127.0.0.1', '169.254.169.254')
    await expectTaken(await deliver({ resolve }))
    expect(asked).toEqual([NAME])
  })

  test.each([
    ['169.254.169.254', 'linkLocal'],
    ['10.0.0.1', 'private'],
    ['100.64.0.1', 'carrierGradeNat'],
  ])('is checked on every attempt: %s is not connected to', async (address, range) => {
    const { resolve } = rebinding('127.0.0.1', address)
    receiver.behave({ status: 500 })
    await deliver({ resolve })
    now += 60_000
    expect(await deliver({ resolve })).toEqual({ kind: 'later', seconds: 300 })
    expect(receiver.connections()).toBe(1)
    expect((await attemptsAt(endpoint))[1]).toMatchObject({ failure: 'address', outcome: 'failed', response: '' })
    expect(await readRegistered(endpoint)).toMatchObject({ lastError: `address: ${NAME} leads to ${range}` })
  })

  test('a name all of whose answers lead inside is never connected to', async () => {
    const { resolve } = rebinding('192.168.0.1')
    await deliver({ resolve })
    expect(await readRegistered(endpoint)).toMatchObject({ lastError: `address: ${NAME} leads to private` })
    expect(receiver.connections()).toBe(0)
  })
})

test('every attempt has 3 s to connect, 15 s in all, and reads 64 KB at most, unless a test says otherwise', () => {
  expect(POST_LIMITS).toEqual({ connectMs: 3_000, attemptMs: 15_000, responseBytes: 65_536 })
})

test('an IP address in the place of a name is refused, loopback on the local stage excepted', async () => {
  await targetAt('https://93.184.216.34/hook')
  expect(await deliver()).toEqual({ kind: 'later', seconds: 5 })
  expect(await readRegistered(endpoint)).toMatchObject({ lastError: 'address: an IP address instead of a name' })
})

test('no line of the log holds a secret, a signature, an event or a response', () => {
  expect(lines.length).toBeGreaterThan(20)
  const secret = /whsec_|v1,|content-of-the-event|the first part|thanks|xxxx/
  expect(lines.filter((line) => secret.test(line))).toEqual([])
})
