/** Changes become event items: each once, in order for each record, and nothing is lost when the table does not answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { organizationTenants } from '../../../lib/store/keys.ts'
import type { StoredRecord } from '../../../lib/store/stored-record.ts'
import { toRecordItem } from '../../../lib/store/stored-record.ts'
import { epochSeconds, type Item, toKey } from '../../../lib/store/table.ts'
import { fromEventItem } from '../../../lib/webhooks/event-item.ts'
import { relayEvents } from '../../../lib/webhooks/relay-events.ts'
import { inserted, modified } from '../../support/changes.ts'
import { failure, type StartedTable, startTable } from '../store/started-table.ts'
import { message, registrationItem, storedIn, writtenAt } from './event-scenes.ts'

let table: StartedTable
/** A tenant of its own, and its organization, for each test. */
let tenant: string
let number = 0
const lines: string[] = []

beforeAll(async () => {
  process.env.LOG_LEVEL = 'debug'
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
  table = await startTable()
})
afterAll(() => table.stop())

beforeEach(async () => {
  table.way = undefined
  tenant = `tenant${++number}`
  lines.length = 0
  await table.put({
    ...toKey({ pk: `@tenant|${tenant}`, sk: '-' }),
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

const eventsOf = async (kind: 'webhook' | 'notification', orgId = `org-${tenant}`) =>
  (await table.items(`@endpoint|${kind}-of-${orgId}|events`))
    .map(fromEventItem)
    .sort((a, b) => (a.occurredAt < b.occurredAt ? -1 : 1))

const told = async (kind: 'webhook' | 'notification' = 'webhook') =>
  (await eventsOf(kind)).map(({ recordId, body }) => `${recordId} ${JSON.parse(body).data.record.state}`)

describe('a change', () => {
  test('becomes an event of each endpoint, kept for 30 days', async () => {
    await table.putAll([endpoint('webhook'), endpoint('notification', 'failing')])
    expect(await relayEvents(walk('r1', 'request-sent'))).toBeUndefined()
    for (const kind of ['webhook', 'notification'] as const) {
      expect(await eventsOf(kind)).toEqual([
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          type: 'proof.state_changed',
          orgId: `org-${tenant}`,
          endpointId: `${kind}-of-org-${tenant}`,
          endpointKind: kind,
          recordId: 'r1',
          occurredAt: writtenAt(1),
          body: expect.stringContaining('"request-sent"'),
          state: 'pending',
          attempts: 0,
        },
      ])
    }
    const [item] = await table.items(`@endpoint|webhook-of-org-${tenant}`)
    expect(Number(item?.expiresAt?.N)).toBe(epochSeconds(Date.parse(writtenAt(1))) + 30 * 24 * 60 * 60)
    expect(await table.check()).toEqual([])
  })

  test('of the base agent is told to the organization of the settings', async () => {
    await table.put(endpoint('webhook', 'active', 'base'))
    await relayEvents([inserted(toRecordItem({ ...record('r1', 'done'), tenant: '@base' }))])
    expect(await eventsOf('webhook', 'base')).toMatchObject([{ orgId: 'base', recordId: 'r1' }])
  })

  test('is held back while the endpoint is disabled', async () => {
    await table.put(endpoint('webhook', 'disabled'))
    await relayEvents(walk('r1', 'done'))
    expect(await eventsOf('webhook')).toMatchObject([{ state: 'held' }])
  })

  test('is not told to a registration that is pending', async () => {
    const { secret: _, ...pending } = endpoint('webhook', 'pending')
    await table.put({ ...pending, sk: { S: 'webhook#pending#0' } })
    await relayEvents(walk('r1', 'done'))
    expect(await table.items(`@endpoint|webhook-of-org-${tenant}`)).toEqual([])
  })

  test('that is relayed again neither doubles its event nor resets it', async () => {
    await table.put(endpoint('webhook'))
    const changes = walk('r1', 'request-sent', 'done')
    await relayEvents(changes)
    const items = await table.items(`@endpoint|webhook-of-org-${tenant}`)
    const tried = items.map((item) => ({ ...item, state: { S: 'delivered' }, attempts: { N: '3' } }))
    await table.putAll(tried)
    expect(await relayEvents(changes)).toBeUndefined()
    expect(await table.items(`@endpoint|webhook-of-org-${tenant}`)).toEqual(expect.arrayContaining(tried))
    expect(await eventsOf('webhook')).toHaveLength(2)
  })

  test('of an endpoint to disabled is told to the other one', async () => {
    await table.putAll([endpoint('webhook', 'disabled'), endpoint('notification')])
    const disabled = { ...endpoint('webhook', 'disabled'), version: { N: '2' } }
    await relayEvents([modified(endpoint('webhook', 'failing'), disabled)])
    expect(await eventsOf('webhook')).toEqual([])
    expect(await eventsOf('notification')).toMatchObject([
      { type: 'endpoint.disabled', recordId: `webhook-of-org-${tenant}` },
    ])
  })
})

describe('what a batch costs', () => {
  const batch = () => ['r1', 'r2', 'r3'].flatMap((id) => walk(id, 'request-sent', 'presentation-received', 'done'))

  test('is a read of the tenant, once for the process, and one of the registrations where there is no endpoint', async () => {
    expect(await relayEvents(batch())).toBeUndefined()
    expect(table.requests.filter((request) => request === 'Query')).toHaveLength(1)
    expect(table.requests.filter((request) => request !== 'Query')).toEqual(['GetItem'])
    table.watch()
    await relayEvents(batch())
    expect(table.requests).toEqual(['Query'])
  })

  test('is nothing where nothing is told', async () => {
    const { type: _, ...didRecord } = record('d1', 'x')
    await relayEvents([inserted(toRecordItem({ ...didRecord, type: 'DidRecord' }))])
    expect(table.requests).toEqual([])
  })

  test('is one write for each event', async () => {
    await table.put(endpoint('webhook'))
    await relayEvents(batch())
    expect(table.requests.toSorted()).toEqual(['GetItem', ...Array(9).fill('PutItem'), 'Query'])
  })
})

describe('when the table does not answer', () => {
  const changes = () => {
    const [a1, a2, a3] = walk('a', 'request-sent', 'presentation-received', 'done')
    const [b1, b2] = walk('b', 'request-sent', 'abandoned')
    return [a1, b1, a2, b2, a3].filter((change) => change !== undefined)
  }
  const sequenceOf = (change?: ReturnType<typeof inserted>) => change?.dynamodb?.SequenceNumber

  test('a failed write holds back the later ones of its record, and no others; it comes again from there', async () => {
    await table.put(endpoint('webhook'))
    const batch = changes()
    let puts = 0
    // Records go side by side, so the third write is the second of one of them.
    table.way = async (command, send) => {
      if (command === 'PutItem' && ++puts === 3) throw failure('AccessDeniedException')
      await send()
    }
    const failed = await relayEvents(batch)
    expect([sequenceOf(batch[2]), sequenceOf(batch[3])]).toContain(failed)
    const allOfA = ['a request-sent', 'a presentation-received', 'a done']
    const allOfB = ['b request-sent', 'b abandoned']
    const written = failed === sequenceOf(batch[2]) ? ['a request-sent', ...allOfB] : [...allOfA, 'b request-sent']
    expect((await told()).toSorted()).toEqual(written.toSorted())
    table.way = undefined
    const rest = batch.slice(batch.findIndex((change) => sequenceOf(change) === failed))
    expect(await relayEvents(rest)).toBeUndefined()
    expect((await told()).toSorted()).toEqual([...allOfA, ...allOfB].toSorted())
    expect(lines.filter((line) => line.includes('event not written'))).toHaveLength(1)
  })

  test.each(['GetItem', 'Query', 'PutItem'])('for a %s, all comes again', async (refused) => {
    await table.putAll([endpoint('webhook'), endpoint('notification')])
    const batch = changes()
    table.way = async (command, send) => {
      if (command === refused) throw failure('AccessDeniedException')
      await send()
    }
    expect(await relayEvents(batch)).toBe(sequenceOf(batch[0]))
    expect(await told()).toEqual([])
    table.way = undefined
    expect(await relayEvents(batch)).toBeUndefined()
    expect(await told()).toHaveLength(5)
    expect(await told('notification')).toHaveLength(5)
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
    await relayEvents(walk('a', ...states))
    expect(await told()).toEqual(states.map((state) => `a ${state}`))
  })
})

describe('a change that cannot be told', () => {
  test('because it is garbled, or its tenant is unknown, is skipped with a line that holds nothing of it', async () => {
    await table.put(endpoint('webhook'))
    const garbled = { ...toRecordItem(record('r1', 'done')), value: { S: '{"content": secret' } }
    const unknown = toRecordItem({ ...record('r2', 'done'), tenant: 'nobody' })
    const received = toRecordItem({ ...message('receiver', 'secret'), tenant: 'nobody' })
    const batch = [garbled, unknown, received].map((item) => inserted(item))
    expect(await relayEvents([...batch, ...walk('r3', 'done')])).toBeUndefined()
    expect(await told()).toEqual(['r3 done'])
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      batch.map(({ dynamodb, eventID }) => ({
        level: 'error',
        message: 'change skipped',
        sequence: dynamodb?.SequenceNumber,
        eventId: eventID,
        error: expect.any(String),
      })),
    )
    expect(lines.join()).not.toContain('secret')
  })
})
