/** Rare actions of functions: their roles allow them too. */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context, DynamoDBRecord, SQSRecord } from 'aws-lambda'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ALL_GRANTS } from '../../lib/auth/grants.ts'
import { type JobKey, jobItem, jobName } from '../../lib/jobs/job.ts'
import { destinationItem } from '../../lib/outbox/destinations/destination.ts'
import { readDestination } from '../../lib/outbox/destinations/destination-access.ts'
import { freeSlots, takeSlot } from '../../lib/outbox/destinations/slow-destination.ts'
import { entryWrite, newEntry } from '../../lib/outbox/destinations/waiting-list.ts'
import { laneItem } from '../../lib/outbox/lanes/lane.ts'
import { outboxItem } from '../../lib/outbox/messages/message-item.ts'
import { newOutboxId } from '../../lib/outbox/messages/outbox-id.ts'
import { heartbeatItem } from '../../lib/outbox/stream-heartbeat.ts'
import { endpointDestination, heartbeatAddress, messageLane } from '../../lib/outbox/wake-ups/keys.ts'
import { sqs } from '../../lib/outbox/wake-ups/queues.ts'
import { encodeWakeUp, type WakeUp } from '../../lib/outbox/wake-ups/wake-up.ts'
import { settings } from '../../lib/settings.ts'
import { dueFor } from '../../lib/store/due.ts'
import type { Address } from '../../lib/store/keys.ts'
import { addressOf, type Item, toKey } from '../../lib/store/table.ts'
import { transact } from '../../lib/store/write.ts'
import { newIssuer, publicKeyOf, sign, type TestIssuer } from '../support/api/tokens.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { startKms } from '../support/table/kms-server.ts'
import { handMade, unknownKid } from '../support/wallets/hand-made-envelope.ts'
import { inserted } from '../support/webhooks/changes.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { leaseLane } from '../unit/outbox/lease-lane.ts'

let lane: string
let issuer: TestIssuer
let keySet: Server

/** Serves the keys of an issuer; another one does not answer. */
const trustIssuers = async (): Promise<void> => {
  issuer = await newIssuer('served', 'ES256')
  keySet = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [publicKeyOf(issuer)] }))
  }).listen(0, '127.0.0.1')
  await once(keySet, 'listening')
  const { port } = keySet.address() as AddressInfo
  const { issuer: name, audience } = issuer
  process.env.TOKEN_ISSUERS = JSON.stringify([
    { issuer: name, audience, jwksUri: `http://127.0.0.1:${port}/jwks`, grants: ALL_GRANTS },
    // The discard port.
    { issuer: 'urn:test:unreachable', audience, jwksUri: 'http://127.0.0.1:9/jwks', grants: ALL_GRANTS },
  ])
}

await trustIssuers()
const stage = await useStage({ delivers: false })
const receiver = await stopAtEnd(startFaultyReceiver())
afterAll(async () => {
  keySet.close()
})
beforeEach(() => {
  lane = messageLane('acme', randomUUID())
})

const put = (item: Item) => stage.client.send(new PutItemCommand({ TableName: stage.table, Item: item }))
const read = async (address: Address): Promise<Item | undefined> => {
  const { Item } = await stage.client.send(
    new GetItemCommand({ TableName: stage.table, Key: toKey(address), ConsistentRead: true }),
  )
  return Item
}
const laneState = async (name: string) => {
  const item = await read(laneItem.addressOf({ lane: name }))
  return item && laneItem.decode(item)
}
const destinationState = async (destination: string) => {
  const item = await read(destinationItem.addressOf({ destination }))
  return item && destinationItem.decode(item)
}
const eventOf = (...wakeUps: WakeUp[]) => ({
  Records: wakeUps.map((wakeUp) => ({ messageId: randomUUID(), body: encodeWakeUp(wakeUp) }) as SQSRecord),
})
const newDestination = () => `https://${randomUUID()}.example`
/** An entry of a waiting list that can't be read. */
const corruptEntry = (destination: string, of: string): Item => {
  const entry = newEntry(of, Date.now() + 60_000, randomUUID())
  return { ...entryWrite(destination, { lane: of, entry, now: 0 }).put, since: { S: 'ever' } }
}
const commit = async (payload: string, url = receiver.url): Promise<void> => {
  const [, , connectionId = ''] = lane.split('|')
  const of = { tenant: 'acme', connectionId, id: newOutboxId(Date.now()) }
  const messages = [{ endpoint: `${url}/${connectionId}`, payload }]
  await put(outboxItem.encode({ ...of, messages, taken: 0, attempts: 0, createdAt: new Date().toISOString() }))
}

test('confirmIssuerKeys stores the keys of an issuer, by which other functions verify its tokens', async () => {
  const { confirmIssuerKeys } = await import('../../functions/confirm-issuer-keys.ts')
  await stage.line.guard.run('confirmIssuerKeys', confirmIssuerKeys)
  const token = await sign(issuer, { role: 'RestRootAgentWithTenants' })
  const { status } = await stage.call('registerNotificationWebhook', {
    headers: { authorization: `Bearer ${token}` },
    body: { orgId: 'base', notificationWebhook: 'https://example.org/notifications' },
  })
  expect(status).toBe(201)
})

describe('sweepOutbox', () => {
  test('wakes lanes and destinations that are due', async () => {
    const destination = newDestination()
    await put(laneItem.encode({ lane, ...dueFor(lane, 1) }))
    await put(destinationItem.encode({ destination, version: 1, ...dueFor(destination, 1) }))
    await stage.line.sweep()
    await stage.line.settle()
    expect(await destinationState(destination)).not.toHaveProperty('dueAt')
    expect(await laneState(lane)).toBeUndefined()
  })

  test('enters lanes of messages and of events, and destinations, whose wake-ups have failed permanently into the index', async () => {
    const destination = newDestination()
    const eventLane = `@outbox|acme|endpoint|${randomUUID()}`
    const committed = { kind: 'committed' } as const
    const { deadUrls } = stage
    const send = (id: string, wakeUp: WakeUp, more = {}) =>
      sqs().send(new SendMessageCommand({ QueueUrl: deadUrls[id], MessageBody: encodeWakeUp(wakeUp), ...more }))
    for (const one of [lane, eventLane])
      await send(
        'WakeUpDeadLetterQueue',
        { lane: one, reason: committed },
        { MessageGroupId: one, MessageDeduplicationId: one },
      )
    await send('TimerDeadLetterQueue', { destination, at: 1 })
    Object.assign(settings(), {
      WAKE_UP_DEAD_LETTER_QUEUE_URL: deadUrls.WakeUpDeadLetterQueue,
      TIMER_DEAD_LETTER_QUEUE_URL: deadUrls.TimerDeadLetterQueue,
      JOB_DEAD_LETTER_QUEUE_URL: deadUrls.JobDeadLetterQueue,
      DISPATCH_FAILURES_URL: deadUrls.DispatchFailures,
    })
    const { countDeadLetters } = await import('../../lib/outbox/dead-letters.ts')
    await stage.line.guard.run('sweepOutbox', countDeadLetters)
    for (const state of [await laneState(lane), await laneState(eventLane), await destinationState(destination)])
      expect(state?.dueAt).toBeGreaterThan(Date.now() - 60_000)
  })

  test('looks at the state of the key that seals', async () => {
    const key = 'alias/local'
    const kms = await startKms(key)
    onTestFinished(() => kms.stop())
    process.env.AWS_ENDPOINT_URL_KMS = kms.url
    const { sweep } = await import('../../lib/outbox/sweep.ts')
    const client = await import('../../lib/store/kms-client.ts')
    stage.line.guard.watch(client.kms(), 'kms')
    const { SEALING_KEY, KMS_KEY_ID } = settings()
    Object.assign(settings(), { SEALING_KEY: undefined, KMS_KEY_ID: key })
    onTestFinished(() => void Object.assign(settings(), { SEALING_KEY, KMS_KEY_ID }))
    // It does so every five minutes.
    await stage.line.guard.run('sweepOutbox', () => sweep(Date.now() + 10 * 60_000))
    expect(kms.calls).toMatchObject([{ action: 'TrentService.DescribeKey', request: { KeyId: key } }])
  })

  test('counts what waits for destinations that are closed', async () => {
    const destination = newDestination()
    await put(destinationItem.encode({ destination, version: 1, ...dueFor(destination, Date.now() + 60_000) }))
    const { Census } = await import('../../lib/outbox/census.ts')
    const census = new Census(Date.now())
    census.add([{ kind: 'destination', name: destination, at: Date.now() }])
    const counted = () => stage.line.guard.run('sweepOutbox', () => census.result())
    expect(await counted()).toEqual({ lanes: 0, age: 0 })
    const entry = corruptEntry(destination, lane)
    await put(entry)
    expect(await counted()).toEqual({ lanes: 1, age: 0 })
    // Only the function that wakes lanes may remove it.
    expect(await read(addressOf(entry))).toEqual(entry)
  })
})

describe('wake', () => {
  test('releases lanes to a slow destination as far as it has room', async () => {
    const { wake } = await import('../../functions/wake.ts')
    const destination = newDestination()
    const [now, at] = [Date.now(), 1]
    const due = { version: 1, slowUntil: now + 60_000, ...dueFor(destination, at) }
    await put(destinationItem.encode({ destination, ...due }))
    const waiting = newEntry(lane, now + 60_000, randomUUID())
    await put(laneItem.encode({ lane, waiting, waitsFor: destination }))
    await transact([entryWrite(destination, { lane, entry: waiting, now })])
    await stage.line.guard.run('wake', () => wake(eventOf({ destination, at })))
    await stage.line.settle()
    // It was released: nothing waits in it, so that it has ended.
    expect(await laneState(lane)).toBeUndefined()
  })

  test('releases no lane before one of the last release has been delivered', async () => {
    const { wake } = await import('../../functions/wake.ts')
    const [destination, now, at] = [newDestination(), Date.now(), 1]
    const entry = newEntry(lane, now + 60_000, randomUUID())
    await put(laneItem.encode({ lane, waiting: entry, waitsFor: destination }))
    await put(
      destinationItem.encode({
        destination,
        version: 1,
        released: { lane, entry, at: now },
        ...dueFor(destination, at),
      }),
    )
    const other = messageLane('acme', randomUUID())
    const next = newEntry(other, now + 60_000, randomUUID())
    await transact([entryWrite(destination, { lane: other, entry: next, now })])
    const release = async () => {
      const { dueAt = at } = (await destinationState(destination)) ?? {}
      await stage.line.guard.run('wake', () => wake(eventOf({ destination, at: dueAt })))
      return (await destinationState(destination))?.released?.entry
    }
    expect(await release()).toBe(entry)
    await put(laneItem.encode({ lane }))
    expect(await release()).toBe(next)
    await stage.line.settle()
  })

  test('removes corrupt entries from a waiting list; the lanes that they name become due', async () => {
    const { wake } = await import('../../functions/wake.ts')
    const [destination, at] = [newDestination(), 1]
    await put(destinationItem.encode({ destination, version: 1, ...dueFor(destination, at) }))
    const eventLane = `@outbox|acme|${randomUUID()}|${randomUUID()}`
    const entries = [lane, eventLane, 'no lane'].map((name) => corruptEntry(destination, name))
    for (const entry of entries) await put(entry)
    const { batchItemFailures } = await stage.line.guard.run('wake', () => wake(eventOf({ destination, at })))
    expect(batchItemFailures).toEqual([])
    for (const entry of entries) expect(await read(addressOf(entry))).toBeUndefined()
    for (const name of [lane, eventLane]) expect(await laneState(name)).toHaveProperty('dueAt')
    expect(await laneState('no lane')).toBeUndefined()
  })
})

test.each(['deliver', 'deliverSlowly', 'wake', 'sweepOutbox', 'deleteWebhookEndpoint', 'enableWebhookEndpoint'])(
  '%s resets a destination whose item is corrupt',
  async (functionKey) => {
    const destination = newDestination()
    const closed = destinationItem.encode({ destination, version: 5, closedAt: 1, expiresAt: 4_000_000_000 })
    await put({ ...closed, suspicions: { S: 'none' } })
    const now = Date.now()
    const renewed = await stage.line.guard.run(functionKey, () => readDestination(destination, now))
    expect(renewed).toEqual({ destination, version: 1, rounds: 0, ...dueFor(destination, now) })
    expect(await destinationState(destination)).toEqual(renewed)
  },
)

describe('dispatchChanges', () => {
  const sequenceOf = ({ dynamodb }: DynamoDBRecord) => dynamodb?.SequenceNumber ?? ''
  const garbled = (notedAt?: number) =>
    inserted(
      {
        ...{ pk: { S: `acme|ProofRecord|${randomUUID()}` }, sk: { S: '~' }, kind: { S: 'record' } },
        ...{ version: { N: '1' }, value: { S: '{"state' }, tags: { S: '{}' } },
      },
      notedAt,
    )

  test('parks an unreadable change, and counts the tries of one that comes late and alone', async () => {
    const { dispatchChanges } = await import('../../functions/dispatch-changes.ts')
    const { parkedChanges } = await import('../../lib/delivery/parked-changes.ts')
    const change = garbled(Math.floor(Date.now() / 1000) - 60)
    const answer = await stage.line.guard.run('dispatchChanges', () => dispatchChanges({ Records: [change] }))
    expect(answer).toEqual({ batchItemFailures: [] })
    const sequences: string[] = []
    for await (const { sequence } of parkedChanges()) sequences.push(sequence)
    expect(sequences).toContain(sequenceOf(change))
  })

  test('notes a heartbeat of the sweep', async () => {
    const { dispatchChanges } = await import('../../functions/dispatch-changes.ts')
    const heartbeat = inserted(heartbeatItem.encode({ at: 7, since: 1 }))
    await stage.line.guard.run('dispatchChanges', () => dispatchChanges({ Records: [heartbeat] }))
    expect(await read(heartbeatAddress('received'))).toMatchObject({ at: { N: '7' } })
  })
})

describe.each(['deliver', 'deliverSlowly'] as const)('%s', (functionKey) => {
  const run = async (wakeUp: WakeUp, milliseconds = 60_000) => {
    const { deliver } = await import('../../functions/deliver.ts')
    const { deliverSlowly } = await import('../../functions/deliver-slowly.ts')
    const handler = { deliver, deliverSlowly }[functionKey]
    const context = { getRemainingTimeInMillis: () => milliseconds } as Context
    return stage.line.guard.run(functionKey, () => handler(eventOf(wakeUp), context))
  }
  const committed = (): WakeUp => ({ lane, reason: { kind: 'committed' } })

  test('tells the holder of a lane that something was committed', async () => {
    await leaseLane({ lane, reason: { kind: 'committed' } }, 'another', Date.now())
    await run(committed())
    expect(await laneState(lane)).toMatchObject({ lease: 'another', dirty: true })
  })

  test('sets aside an unreadable item of a lane, or an unreadable lane', async () => {
    const id = newOutboxId(Date.now())
    const eventLane = `@outbox|acme|${randomUUID()}|${randomUUID()}`
    await put({ pk: { S: lane }, sk: { S: id }, kind: { S: 'outbox' } })
    await put({ pk: { S: eventLane }, sk: { S: 'x' }, kind: { S: 'pending-event' } })
    for (const of of [lane, eventLane]) {
      await put({ ...toKey(laneItem.addressOf({ lane: of })), kind: { S: 'lane' }, lease: { N: '1' } })
      for (let turns = 0; turns < 3; turns++) await run({ lane: of, reason: { kind: 'committed' } })
      await stage.line.sweep()
    }
    await stage.line.settle()
    expect(await read({ pk: lane, sk: id })).toBeUndefined()
    expect(await read({ pk: eventLane, sk: 'x' })).toBeUndefined()
  })

  test('leaves items for which it has no time to the next invocation', async () => {
    const quick = { destination: receiver.url, version: 1, quickUntil: Date.now() + 3_600_000 }
    await put(destinationItem.encode(quick))
    for (const payload of ['1', '2', '3']) await commit(payload)
    // Enough for one attempt.
    await run(committed(), 20_000)
    expect(receiver.received.filter(({ path }) => lane.endsWith(path.slice(1)))).toHaveLength(1)
    await stage.line.settle()
    const heard = receiver.received.filter(({ path }) => lane.endsWith(path.slice(1)))
    expect(heard.map(({ body }) => body)).toEqual(['1', '2', '3'])
  })
})

test('removeOwned may postpone a job, fail at it, and end it', async () => {
  const { runJob } = await import('../../lib/jobs/run.ts')
  const key: JobKey = { tenant: 'acme', type: 'tenant-removal', id: randomUUID() }
  const job = { ...key, attempts: 0, failures: 0, createdAt: new Date(0).toISOString() }
  const giveUp = async () => undefined
  const fail = () => Promise.reject(new Error('injected'))
  for (const run of [async () => ({ later: 1_000 }), fail]) {
    await put(jobItem.encode({ ...job, ...dueFor(jobName(key), 1) }))
    await stage.line.guard.run('removeOwned', () => runJob(key, { run, giveUp }))
  }
  await put(jobItem.encode({ ...job, ...dueFor(jobName(key), 1) }))
  await stage.line.sweep()
  await stage.line.settle()
  expect(await read(jobItem.addressOf(key))).toBeUndefined()
})

test('deliverSlowly waits while all slots of a slow destination are taken', async () => {
  const { deliverSlowly } = await import('../../functions/deliver-slowly.ts')
  const { wake } = await import('../../functions/wake.ts')
  const slow = await startFaultyReceiver()
  onTestFinished(() => slow.stop())
  const context = { getRemainingTimeInMillis: () => 60_000 } as Context
  const now = Date.now()
  await put(destinationItem.encode({ destination: slow.url, version: 1, slowUntil: now + 60_000 }))
  const taken = []
  while ((await freeSlots(slow.url, now)) > 0) taken.push(await takeSlot(slow.url, randomUUID(), { now, random: 0 }))
  await commit('1', slow.url)
  const run = () =>
    stage.line.guard.run('deliverSlowly', () =>
      deliverSlowly(eventOf({ lane, reason: { kind: 'committed' } }), context),
    )
  await run()
  expect(slow.received).toEqual([])
  await taken[0]?.release()
  const free = () => freeSlots(slow.url, Date.now())
  expect(await free()).toBe(1)
  const { dueAt: at = 0 } = (await destinationState(slow.url)) ?? {}
  await stage.line.guard.run('wake', () => wake(eventOf({ destination: slow.url, at })))
  await stage.line.settle()
  expect(slow.received.map(({ body }) => body)).toEqual(['1'])
  expect(await free()).toBe(1)
})

test('enableWebhookEndpoint wakes the lanes that wait for the endpoint', async () => {
  const { body } = await stage.call('registerWebhook', {
    path: { orgId: 'base' },
    body: { webhookUrl: 'https://example.org/events' },
  })
  const endpointId: string = body.data.id
  const destination = endpointDestination(endpointId)
  const address = { pk: '@org|base', sk: 'webhook' }
  await put({ ...(await read(address)), status: { S: 'disabled' } })
  await put(destinationItem.encode({ destination, version: 1, closedAt: Date.now(), rounds: 0 }))
  const { status } = await stage.call('enableWebhookEndpoint', { path: { orgId: 'base', endpointId } })
  expect(status).toBe(200)
  expect(await readDestination(destination, Date.now())).not.toHaveProperty('closedAt')
})

test('receiveDidcomm looks for the keys of all recipients of an envelope', async () => {
  const body = handMade({
    kid: unknownKid(),
    header: (header) => ({
      ...header,
      recipients: [
        ...header.recipients,
        { encrypted_key: randomBytes(80).toString('base64url'), header: { kid: unknownKid() } },
      ],
    }),
  })
  const { status } = await stage.call('receiveDidcomm', { body })
  expect(status).toBe(400)
})
