/** Changes become events: each once, in order for each record, and nothing is lost while DynamoDB is unavailable. */

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { committedId, messageGroupOf } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { dynamodb } from '../../../lib/store/client.ts'
import type { StoredRecord } from '../../../lib/store/stored-record.ts'
import { toRecordItem } from '../../../lib/store/stored-record.ts'
import { epochSeconds, type Item, toKey } from '../../../lib/store/table.ts'
import { transact } from '../../../lib/store/write.ts'
import { organizationTenants } from '../../../lib/tenants/tenants.ts'
import { dispatchEvents } from '../../../lib/webhooks/dispatch-events.ts'
import { pendingAddress, pendingItem } from '../../../lib/webhooks/endpoint-item.ts'
import { eventItem, pendingEventItem } from '../../../lib/webhooks/event-item.ts'
import { eventLaneContents } from '../../../lib/webhooks/event-lane.ts'
import { inserted, modified } from '../../support/webhooks/changes.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'
import { failure } from '../store/started-table.ts'
import { message, registrationItem, sentMessage, storedIn, writtenAt } from './event-scenes.ts'

/** A separate tenant with its organization for each test. */
let tenant: string
let number = 0
const lines: string[] = []

process.env.LOG_LEVEL = 'debug'
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
const { table, queues } = await useTableAndQueues({ check: false })

beforeEach(async () => {
  table.way = undefined
  queues.clear()
  tenant = `tenant${++number}`
  lines.length = 0
  await table.put({
    ...toKey({ pk: `@tenant|${tenant}`, sk: '~' }),
    kind: { S: 'tenant' },
    id: { S: tenant },
    label: { S: 'Acme' },
    orgId: { S: `org-${tenant}` },
    createdAt: { S: writtenAt(0) },
  })
  await table.put({
    ...toKey({ pk: organizationTenants(`org-${tenant}`), sk: tenant }),
    kind: { S: 'organization-tenant' },
  })
  table.watch()
})

const endpoint = (kind: 'webhook' | 'notification', status = 'active', orgId = `org-${tenant}`): Item => ({
  ...registrationItem(kind, status, 1),
  pk: { S: `@org|${orgId}` },
  orgId: { S: orgId },
  id: { S: `${kind}-of-${orgId}` },
})

const record = (id: string, state: string, version = 1): StoredRecord => {
  const stored = storedIn('ProofRecord', state, version)
  return { ...stored, tenant, id, value: { ...stored.value, id } }
}

/** A record walks through states, one change each. */
const walk = (id: string, ...states: string[]) =>
  states.map((state, index) => {
    const after = toRecordItem(record(id, state, index + 1))
    const before = states[index - 1]
    return before === undefined ? inserted(after) : modified(toRecordItem(record(id, before, index)), after)
  })

/** The pending events of an endpoint, lane by lane. */
const waiting = async (kind: 'webhook' | 'notification' = 'webhook', orgId = `org-${tenant}`) =>
  (await table.items(`@outbox|${orgId}|${kind}-of-${orgId}|`))
    .map((item) => ({ lane: item.pk?.S ?? '', ...pendingEventItem.decode(item) }))
    .sort((a, b) => (`${a.lane} ${a.position}` < `${b.lane} ${b.position}` ? -1 : 1))

/** The events in the list of an endpoint. */
const listed = async (kind: 'webhook' | 'notification') =>
  (await table.items(`@endpoint|${kind}-of-org-${tenant}|events`)).map((item) => eventItem.decode(item))

/** Dispatches, and returns the sequence number of each failed change, with the code or name of its error. */
const dispatch = async (records: Parameters<typeof dispatchEvents>[0]) =>
  (await dispatchEvents(records)).map(({ record: { dynamodb }, error }) => [
    dynamodb?.SequenceNumber,
    (error as { code?: string }).code ?? (error as Error).name,
  ])

const told = async (kind: 'webhook' | 'notification' = 'webhook') =>
  (await waiting(kind)).map(({ recordId, body }) => `${recordId} ${JSON.parse(body).data.record.state}`)

describe('a change', () => {
  test('becomes an event of each endpoint, which waits in the lane of its record and does not expire', async () => {
    await table.putAll([endpoint('webhook'), endpoint('notification', 'failing')])
    const before = new Date().toISOString()
    expect(await dispatch(walk('r1', 'request-sent'))).toEqual([])
    for (const kind of ['webhook', 'notification'] as const) {
      expect(await waiting(kind)).toEqual([
        {
          lane: `@outbox|org-${tenant}|${kind}-of-org-${tenant}|r1`,
          position: expect.stringMatching(/^0{15}1#/),
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          type: 'proof.state_changed',
          orgId: `org-${tenant}`,
          endpointId: `${kind}-of-org-${tenant}`,
          recordId: 'r1',
          sequence: 1,
          occurredAt: writtenAt(1),
          body: expect.stringContaining('"request-sent"'),
          attempts: 0,
          pendingSince: expect.any(String),
        },
      ])
      const [event] = await waiting(kind)
      expect(event?.pendingSince && event.pendingSince >= before).toBe(true)
      expect(await listed(kind)).toEqual([])
    }
    expect(await table.check()).toEqual([])
  })

  test('of the base agent is sent to the organization of the settings', async () => {
    await table.put(endpoint('webhook', 'active', 'base'))
    await dispatch([inserted(toRecordItem({ ...record('r1', 'done'), tenant: '@base' }))])
    expect(await waiting('webhook', 'base')).toMatchObject([{ orgId: 'base', recordId: 'r1' }])
  })

  test('is held back while the endpoint is disabled', async () => {
    await table.put(endpoint('webhook', 'disabled'))
    await dispatch(walk('r1', 'done'))
    expect(await listed('webhook')).toMatchObject([{ state: 'held', expiresAt: expect.any(Number) }])
    expect(await waiting()).toEqual([])
    expect(queues.sent).toEqual([])
  })

  test('is not sent to a pending registration', async () => {
    const orgId = `org-${tenant}`
    const times = { createdAt: writtenAt(0), updatedAt: writtenAt(0), expiresAt: epochSeconds() + 60 }
    const pending = {
      id: `pending-${tenant}`,
      orgId,
      url: 'https://hooks.example',
      status: 'pending',
      version: 1,
    } as const
    await table.put(pendingItem.encode({ ...pending, ...times, ...pendingAddress(orgId, 0) }))
    expect(await dispatch(walk('r1', 'done'))).toEqual([])
    expect(await table.items(`@outbox|${orgId}|`)).toEqual([])
    expect(await table.items(`@endpoint|${pending.id}`)).toEqual([])
    expect(queues.sent).toEqual([])
  })

  test('that ends an exchange is counted when its events are written', async () => {
    await table.put(endpoint('webhook'))
    const ended = () => lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'exchange.ended')
    const changes = walk('r1', 'request-sent', 'done')
    table.way = (command, send) => (command === 'PutItem' ? Promise.reject(failure('InternalServerError')) : send())
    await dispatch(changes)
    expect(ended()).toEqual([])
    table.way = undefined
    await dispatch(changes)
    expect(ended()).toMatchObject([{ ExchangesEnded: 1, State: 'done' }])
  })

  test('that is dispatched again neither doubles its event, nor resets it', async () => {
    await table.put(endpoint('webhook'))
    const changes = walk('r1', 'request-sent', 'done')
    await dispatch(changes)
    const tried = (await table.items('@outbox|')).map((item) => ({ ...item, attempts: { N: '3' } }))
    await table.putAll(tried)
    queues.clear()
    expect(await dispatch(changes)).toEqual([])
    expect(await table.items('@outbox|')).toEqual(tried)
    expect(queues.sent).toEqual([])
  })

  test('of an endpoint to disabled is sent to the other one', async () => {
    await table.putAll([endpoint('webhook', 'disabled'), endpoint('notification')])
    const disabled = { ...endpoint('webhook', 'disabled'), version: { N: '2' } }
    await dispatch([modified(endpoint('webhook', 'failing'), disabled)])
    expect(await waiting('webhook')).toEqual([])
    expect(await waiting('notification')).toMatchObject([
      { type: 'endpoint.disabled', recordId: `webhook-of-org-${tenant}` },
    ])
  })
})

describe('the lane of a record', () => {
  test('has its events in the order of their sequences, also when they are written the other way round', async () => {
    await table.put(endpoint('webhook'))
    const states = ['request-sent', 'presentation-received', 'done']
    for (const change of walk('r1', ...states).reverse()) await dispatch([change])
    expect(await told()).toEqual(states.map((state) => `r1 ${state}`))
  })

  test('is woken for each of its events, with the id that the stream has for it too, and nothing of its content', async () => {
    await table.put(endpoint('webhook'))
    await dispatch([...walk('r1', 'request-sent', 'done'), ...walk('r2', 'done')])
    const places = await waiting()
    expect(queues.sent.map(({ id }) => id).sort()).toEqual(
      places.map(({ lane, position }) => committedId(lane, position)).sort(),
    )
    for (const { queue, body, group } of queues.sent) {
      expect(queue).toBe('wake-ups.fifo')
      expect(body).toEqual({ lane: expect.any(String), reason: { kind: 'committed' } })
      expect(group).toBe(messageGroupOf(String(body.lane), 'fast'))
      expect(group).toMatch(/^[A-Za-z0-9_-]{1,128}$/)
    }
  })

  test('is not needed if SQS is unavailable: the events are written, and the stream wakes their lanes', async () => {
    await table.put(endpoint('webhook'))
    queues.refuse = 'down'
    expect(await dispatch(walk('r1', 'done'))).toEqual([])
    expect(await waiting()).toHaveLength(1)
  })
})

describe('what a batch costs', () => {
  const batch = () => ['r1', 'r2', 'r3'].flatMap((id) => walk(id, 'request-sent', 'presentation-received', 'done'))

  test('is a read of the tenant, once for the process, and one of the registrations where there is no endpoint', async () => {
    expect(await dispatch(batch())).toEqual([])
    expect(table.requests.filter((request) => request === 'Query')).toHaveLength(1)
    expect(table.requests.filter((request) => request !== 'Query')).toEqual(['GetItem'])
    table.watch()
    await dispatch(batch())
    expect(table.requests).toEqual(['Query'])
  })

  test('is empty without events', async () => {
    const { type: _, ...didRecord } = record('d1', 'x')
    await dispatch([inserted(toRecordItem({ ...didRecord, type: 'DidRecord' }))])
    expect(table.requests).toEqual([])
  })

  test('is one write for each event', async () => {
    await table.put(endpoint('webhook'))
    await dispatch(batch())
    expect(table.requests.toSorted()).toEqual(['GetItem', ...Array(9).fill('PutItem'), 'Query'])
  })
})

describe('while DynamoDB is unavailable', () => {
  const changes = () => {
    const [a1, a2, a3] = walk('a', 'request-sent', 'presentation-received', 'done')
    const [b1, b2] = walk('b', 'request-sent', 'abandoned')
    return [a1, b1, a2, b2, a3].filter((change) => change !== undefined)
  }
  const sequenceOf = (change?: ReturnType<typeof inserted>) => change?.dynamodb?.SequenceNumber

  test('a failed write blocks the later ones of its record, and no others; the stream repeats it from there', async () => {
    await table.put(endpoint('webhook'))
    const batch = changes()
    let writes = 0
    // Records go side by side, so the third write is the second of one of them.
    table.way = async (command, send) => {
      if (command === 'PutItem' && ++writes === 3) throw failure('AccessDeniedException')
      await send()
    }
    const [[failed] = [], ...others] = await dispatch(batch)
    expect(others).toEqual([])
    expect([sequenceOf(batch[2]), sequenceOf(batch[3])]).toContain(failed)
    const allOfA = ['a request-sent', 'a presentation-received', 'a done']
    const allOfB = ['b request-sent', 'b abandoned']
    const written = failed === sequenceOf(batch[2]) ? ['a request-sent', ...allOfB] : [...allOfA, 'b request-sent']
    expect((await told()).toSorted()).toEqual(written.toSorted())
    table.way = undefined
    const rest = batch.slice(batch.findIndex((change) => sequenceOf(change) === failed))
    expect(await dispatch(rest)).toEqual([])
    expect((await told()).toSorted()).toEqual([...allOfA, ...allOfB].toSorted())
    expect(await waiting()).toHaveLength(5)
  })

  test.each(['GetItem', 'Query', 'PutItem'])('for a %s, all is repeated', async (refused) => {
    await table.putAll([endpoint('webhook'), endpoint('notification')])
    const batch = changes()
    table.way = async (command, send) => {
      if (command === refused) throw failure('InternalServerError', { $fault: 'server' })
      await send()
    }
    expect(await dispatch(batch)).toEqual(
      [batch[0], batch[1]].map((change) => [sequenceOf(change), 'store.unavailable']),
    )
    expect(await told()).toEqual([])
    table.way = undefined
    expect(await dispatch(batch)).toEqual([])
    expect(await told()).toHaveLength(5)
    expect(await told('notification')).toHaveLength(5)
  })

  test('for one endpoint, its event is repeated even if that of another endpoint fails by itself', async () => {
    await table.putAll([endpoint('webhook'), endpoint('notification')])
    let writes = 0
    table.way = async (command, send) => {
      if (command !== 'PutItem') return send()
      throw ++writes % 2 === 1 ? failure('ValidationException') : failure('InternalServerError', { $fault: 'server' })
    }
    const change = walk('a', 'done')
    // The SDK repeats what fails in AWS: in the end one of the two is out of reach.
    expect(await dispatch(change)).toEqual([[sequenceOf(change[0]), 'store.unavailable']])
  })

  test('the events of one record are written one after the other', async () => {
    await table.put(endpoint('webhook'))
    const states = ['request-sent', 'presentation-received', 'done', 'abandoned', 'declined', 'request-sent']
    let running = 0
    table.way = async (command, send) => {
      if (command === 'PutItem') expect(++running).toBe(1)
      await send()
      if (command === 'PutItem') running -= 1
    }
    await dispatch(walk('a', ...states))
    expect(await told()).toEqual(states.map((state) => `a ${state}`))
  })
})

describe('a change that fails by itself', () => {
  const codes = ([, code]: unknown[]) => code

  test('because it is corrupt is reported, and blocks neither other records nor the later changes of its record', async () => {
    await table.put(endpoint('webhook'))
    const [sent, received, done] = walk('r1', 'request-sent', 'presentation-received', 'done')
    const garbled = inserted({ ...toRecordItem(record('r1', 'done')), content: { S: '{"content": secret' } })
    const batch = [sent, garbled, received, ...walk('r3', 'done'), done].filter((change) => change !== undefined)
    expect(await dispatch(batch)).toEqual([[garbled.dynamodb?.SequenceNumber, expect.any(String)]])
    expect((await told()).toSorted()).toEqual(['r1 done', 'r1 presentation-received', 'r1 request-sent', 'r3 done'])
    expect(lines.join()).not.toContain('secret')
  })

  test('because the table rejects its event is reported, and the later ones of its record are dispatched', async () => {
    await table.put(endpoint('webhook'))
    let writes = 0
    table.way = async (command, send) => {
      if (command === 'PutItem' && ++writes === 1) throw failure('ValidationException')
      await send()
    }
    const batch = walk('r1', 'request-sent', 'presentation-received', 'done')
    expect(await dispatch(batch)).toEqual([[batch[0]?.dynamodb?.SequenceNumber, 'ValidationException']])
    expect(await told()).toEqual(['r1 presentation-received', 'r1 done'])
  })

  test('because its tenant is unknown is counted and skipped: it has no organization', async () => {
    const unknown = toRecordItem({ ...record('r2', 'done'), tenant: 'nobody' })
    const received = toRecordItem({ ...message('receiver', 'secret'), tenant: 'nobody' })
    expect(await dispatch([inserted(unknown), inserted(received)])).toEqual([])
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', event: 'dispatcher.no_tenant', recordId: 'r2', WorkGivenUp: 1 },
      { level: 'error', event: 'dispatcher.no_tenant', recordId: 'm1', WorkGivenUp: 1 },
    ])
    expect(lines.join()).not.toContain('secret')
  })

  const HOSTILE: [string, Item][] = [
    ['an image that is no record', { pk: { S: 'a|ProofRecord|b' }, sk: { S: '~' }, kind: { S: 'record' } }],
    ['a key of another shape', { ...toRecordItem(storedIn('ProofRecord', 'done')), pk: { S: '|ProofRecord|' } }],
    ['a version that is no number', { ...toRecordItem(storedIn('ProofRecord', 'done')), version: { N: 'NaN' } }],
    ['a value that is no object', { ...toRecordItem(storedIn('ProofRecord', 'done')), content: { S: '[null,{}]' } }],
    [
      'bytes that are not packed',
      { ...toRecordItem(storedIn('ProofRecord', 'done')), content: { B: new Uint8Array(3) } },
    ],
    ['a basic message with an invalid delivery', { ...sentMessage(2), delivery: { S: '{}' } }],
  ]

  test.each(HOSTILE)('%s is reported, and the other changes are dispatched', async (_name, image) => {
    await table.put(endpoint('webhook'))
    const failed = await dispatch([inserted(image), ...walk('r1', 'done')])
    expect(failed.map(codes)).toEqual([expect.not.stringMatching(/^store\./)])
    expect(await told()).toEqual(['r1 done'])
  })

  test('dispatching ends for any image, and the other change is dispatched', async () => {
    await table.put(endpoint('webhook'))
    const kinds = fc.constantFrom('record', 'outbox', 'registration', 'pending-event', 'x')
    const texts = fc.oneof(fc.string({ maxLength: 40 }), fc.json(), fc.constantFrom('acme|ProofRecord|r9', 'webhook'))
    const attribute = fc.oneof(
      texts.map((S) => ({ S })),
      fc.string().map((N) => ({ N })),
    )
    const names = ['pk', 'sk', 'content', 'version', 'delivery', 'messages', 'createdAt', 'status', 'id']
    const image = fc.record(Object.fromEntries(names.map((name) => [name, attribute])), { requiredKeys: [] })
    let count = 0
    await fc.assert(
      fc.asyncProperty(kinds, image, async (kind, fields) => {
        const id = `beside-${++count}`
        const hostile = modified({ ...fields, kind: { S: kind } } as Item, { ...fields, kind: { S: kind } } as Item)
        await dispatch([hostile, { ...hostile, eventName: 'INSERT' }, ...walk(id, 'done')])
        expect(await told()).toContain(`${id} done`)
      }),
      { numRuns: 40 },
    )
  })
})

test('two dispatchers of the same changes write each event once', async () => {
  await table.put(endpoint('webhook'))
  const batch = walk('r1', 'request-sent', 'presentation-received', 'done')
  const failed = (await Promise.all([dispatch(batch), dispatch(batch)])).flat()
  expect(failed.filter(([, code]) => code !== 'store.conflict')).toEqual([])
  await dispatch(batch)
  expect(await told()).toEqual(['r1 request-sent', 'r1 presentation-received', 'r1 done'])
  expect(await waiting()).toHaveLength(3)
})

describe('an endpoint that is throttled', () => {
  /** DynamoDB rejects writes to the list of this tenant's endpoint; `whole`: all writes. */
  const throttle = (whole = false) => {
    const { send } = dynamodb()
    spy = vi.spyOn(dynamodb(), 'send')
    spy.mockImplementation(((command: { input: object }) => {
      const text = JSON.stringify(command.input)
      const isWrite = /"(Put|Item|TransactItems)"/.test(text)
      return isWrite && (whole || text.includes(`"@endpoint|webhook-of-org-${tenant}|events`))
        ? Promise.reject(failure('ProvisionedThroughputExceededException'))
        : Reflect.apply(send, dynamodb(), [command])
    }) as never)
  }
  let spy: { mockRestore(): void; mockImplementation(act: never): unknown } | undefined
  afterEach(() => spy?.mockRestore())

  test('holds back no change: its events are written to the lanes of their records alone', async () => {
    await table.put(endpoint('webhook'))
    throttle()
    const changes = Array.from({ length: 30 }, (_, id) => walk(`t${id}`, 'request-sent', 'done')).flat()
    expect(await dispatch(changes)).toEqual([])
    expect(queues.sent).toHaveLength(60)
    expect(Map.groupBy(await waiting('webhook'), ({ lane }) => lane).size).toBe(30)
  })

  test('has its events in their lanes when it is disabled, too: they are held there', async () => {
    await table.put(endpoint('webhook', 'disabled'))
    throttle()
    expect(await dispatch(walk('r1', 'request-sent'))).toEqual([])
    spy?.mockRestore()
    const [lane = ''] = (await waiting()).map((event) => event.lane)
    const contents = await eventLaneContents(lane)
    for (const item of (await contents?.read(Date.now()))?.items ?? [])
      await transact(contents?.endWithoutSending(item) ?? [])
    expect(await listed('webhook')).toMatchObject([{ state: 'held' }])
    expect(await waiting()).toEqual([])
  })

  test('stops the stream if the table rejects all writes', async () => {
    await table.put(endpoint('webhook'))
    throttle(true)
    expect(await dispatch(walk('r1', 'request-sent'))).toEqual([[expect.any(String), 'store.unavailable']])
  })
})
