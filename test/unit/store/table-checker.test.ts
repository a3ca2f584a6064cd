/** The checker of the table finds what it is there to find, and nothing in a table that is sound. */

import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, test } from 'vitest'
import { parkedItem, triesItem } from '../../../lib/delivery/parked-changes.ts'
import { keyAddress } from '../../../lib/keys/key-item.ts'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { entryWrite, newEntry } from '../../../lib/outbox/destinations/waiting-list.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { outboxItem, outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { slotAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { dueFor } from '../../../lib/store/due.ts'
import { indexEntries } from '../../../lib/store/index-entries.ts'
import {
  address,
  dataKeyAddress,
  entryPartition,
  idempotencyAddress,
  messageMarkAddress,
} from '../../../lib/store/keys.ts'
import { pointerTo } from '../../../lib/store/pointers.ts'
import { type StoredRecord, toRecordItem } from '../../../lib/store/stored-record.ts'
import { type Item, toKey } from '../../../lib/store/table.ts'
import { tenantAddress } from '../../../lib/tenants/tenants.ts'
import {
  type Attempt,
  attemptItem,
  type EventState,
  listedItem,
  type NewEvent,
  pendingEvent,
  pendingEventItem,
  restingItem,
} from '../../../lib/webhooks/event-item.ts'
import { eventIdOf } from '../../../lib/webhooks/events.ts'
import { ACME, storedRecord } from './records.ts'
import { useTable } from './use-table.ts'

const table = await useTable({ check: false })

beforeEach(async () => {
  for (const item of await table.items()) await remove(item)
})

const at = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`
const remove = ({ pk, sk }: Item) =>
  table.dynamo.client.send(
    new DeleteItemCommand({ TableName: table.dynamo.table, Key: { ...(pk && { pk }), ...(sk && { sk }) } }),
  )
const store = (record: StoredRecord) => table.putAll([toRecordItem(record), ...indexEntries(record).values()])
const entryOf = (record: StoredRecord): Item => {
  const [entry] = indexEntries(record).values()
  if (entry === undefined) throw new Error('a record with an index was expected')
  return entry
}

const CONNECTION = storedRecord({ id: 'c1', tags: { did: 'did:peer:1', theirDid: 'did:peer:2' } })
const DID = storedRecord({
  type: 'DidRecord',
  id: 'd1',
  tags: { did: 'did:key:1' },
  value: { keys: [{ didDocumentRelativeKeyId: '#1', kmsKeyId: 'k1' }] },
})
const EVENT: NewEvent = {
  id: eventIdOf('2026-01-01T00:00:00.000Z', 'one'),
  type: 'endpoint.test',
  orgId: ACME,
  endpointId: 'e1',
  recordId: 'c1',
  sequence: 1,
  occurredAt: '2026-01-01T00:00:00.000Z',
  body: '{}',
}
const ATTEMPT: Attempt = {
  endpointId: 'e1',
  eventId: EVENT.id,
  type: EVENT.type,
  attempt: 1,
  startedAt: '2026-01-01T00:00:01.000Z',
  milliseconds: 1,
  response: '',
  outcome: 'failed',
  expiresAt: 2_000_000_000,
}
const PENDING = pendingEvent(EVENT, EVENT.occurredAt)
const LISTED = listedItem(PENDING)
const IN_LANE = pendingEventItem.encode(PENDING)
/** An event that is at rest. */
const atRest = (state: Exclude<EventState, 'pending'>, changes: Partial<NewEvent> = {}, attempts = 0): Item =>
  restingItem({ ...EVENT, ...changes, attempts }, state)
const MESSAGE = {
  tenant: 'acme',
  connectionId: 'c1',
  id: '0190',
  messages: [{ endpoint: 'https://wallet.example', payload: '{}' }],
  taken: 0,
  attempts: 0,
  createdAt: EVENT.occurredAt,
}
const ENDED = { endedAt: EVENT.occurredAt, expiresAt: 2_000_000_000 }
const ENTRY = newEntry('acme|ConnectionRecord|c1', 1_767_225_600_000, 'one')
const waitingFor = (destination: string): Item => {
  const write = entryWrite(destination, { lane: 'acme|ConnectionRecord|c1', entry: ENTRY, now: 0 })
  if (!('put' in write)) throw new Error('a put was expected')
  return write.put
}
const KEY = { ...toKey(keyAddress(ACME, 'k1')), kind: { S: 'key' } }

test('should find nothing in an empty table, nor where everything fits', async () => {
  expect(await table.check()).toEqual([])
  await store(CONNECTION)
  await store(DID)
  await table.putAll([
    KEY,
    { ...toKey(address(`${ACME}|issuer-did`)), kind: { S: 'issuer-did' }, did: { S: 'did:key:1' } },
    { ...toKey(dataKeyAddress(ACME)), kind: { S: 'data-key' } },
    { ...toKey(messageMarkAddress(ACME, 's', 'm')), kind: { S: 'mark' } },
    { ...toKey(idempotencyAddress(ACME, 'root', 'i')), kind: { S: 'idempotency' } },
    { ...toKey(tenantAddress('acme')), kind: { S: 'tenant' }, id: { S: 'acme' }, orgId: { S: 'org' } },
    { pk: { S: '@org|org|tenants' }, sk: { S: 'acme' }, kind: { S: 'organization-tenant' } },
    { pk: { S: '@org|acme' }, sk: { S: 'webhook' }, kind: { S: 'registration' } },
    LISTED,
    IN_LANE,
    attemptItem.encode(ATTEMPT),
    outboxItem.encode(MESSAGE),
    outcomeItem.encode({ ...MESSAGE, id: '0189', messages: [], ...ENDED }),
    laneItem.encode({ lane: 'acme|ConnectionRecord|c1', waiting: ENTRY }),
    laneItem.encode({ lane: 'acme|ConnectionRecord|c2', ...dueFor('acme|ConnectionRecord|c2', 1) }),
    destinationItem.encode({ destination: 'https://wallet.example', version: 1, ...dueFor('x', 1) }),
    waitingFor('https://wallet.example'),
    { ...toKey(slotAddress('https://wallet.example', 0)), kind: { S: 'slot' } },
    { ...toKey(parkedItem.addressOf({ sequence: '1', part: 0 })), kind: { S: 'parked-change' } },
    { ...toKey(triesItem.addressOf({ sequence: '1' })), kind: { S: 'dispatch-tries' } },
  ])
  expect(await table.check()).toEqual([])
})

describe('should find', () => {
  test('a record that lacks an entry', async () => {
    await store(CONNECTION)
    const entry = entryOf(CONNECTION)
    await remove(entry)
    expect(await table.check()).toEqual([`acme|ConnectionRecord|c1 ~: lacks its entry ${entry.pk?.S} ${entry.sk?.S}`])
  })

  test('an entry without its record', async () => {
    await store(CONNECTION)
    await remove(toRecordItem(CONNECTION))
    const problems = await table.check()
    expect(problems).toHaveLength(indexEntries(CONNECTION).size)
    for (const problem of problems) expect(problem).toMatch(/: has no record$/)
  })

  test.each([
    ['content', { content: { S: '[{},{}]' } }],
    ['version', { version: { N: '7' } }],
  ])('an entry whose copy has another %s than the record', async (_name, change) => {
    await store(CONNECTION)
    const entry = entryOf(CONNECTION)
    await table.put({ ...entry, ...change })
    expect(await table.check()).toEqual([`${entry.pk?.S} ${entry.sk?.S}: differs from its record`])
  })

  test('an entry that its record has no more', async () => {
    await store(CONNECTION)
    const pk = entryPartition(ACME, 'ConnectionRecord', 'did', 'did:peer:before')
    await table.put({ ...entryOf(CONNECTION), pk: { S: pk } })
    expect(await table.check()).toEqual([expect.stringMatching(/: its record has no such entry$/)])
  })

  test('a DID and an invitation whose key is not there', async () => {
    await store(DID)
    const invitation = { id: 'o1', invitationInlineServiceKeys: [{ recipientKeyFingerprint: 'z6Mk', kmsKeyId: 'k2' }] }
    await store(storedRecord({ type: 'OutOfBandRecord', id: 'o1', value: invitation }))
    expect(await table.check()).toEqual([
      'acme|DidRecord|d1 ~: lacks its key k1',
      'acme|OutOfBandRecord|o1 ~: lacks its key k2',
    ])
  })

  test('an invitation that is not found, and one whose record is not there', async () => {
    const value = { role: 'sender', outOfBandInvitation: { '@id': 'i1' } }
    const record = storedRecord({ type: 'OutOfBandRecord', id: 'o1', value })
    await store(record)
    expect(await table.check()).toEqual(['acme|OutOfBandRecord|o1 ~: its invitation is not found'])
    const pointer = pointerTo(record) ?? {}
    await table.put(pointer)
    expect(await table.check()).toEqual([])
    for (const item of [toRecordItem(record), ...indexEntries(record).values()]) await remove(item)
    expect(await table.check()).toEqual([`${at(pointer)}: its record has no such invitation`])
    await table.put(pointerTo(record, 1) ?? {})
    expect(await table.check()).toEqual([])
  })

  test('an issuer DID that is not the agent’s', async () => {
    await table.put({ ...toKey(address(`${ACME}|issuer-did`)), kind: { S: 'issuer-did' }, did: { S: 'did:key:1' } })
    expect(await table.check()).toEqual(['acme|issuer-did ~: lacks the record of its DID'])
  })

  test('a record with another id, without a version, or without content', async () => {
    await store({ ...CONNECTION, value: { ...CONNECTION.value, id: 'c2' } })
    await store({ ...storedRecord({ type: 'ProofRecord', id: 'p2' }), version: 0 })
    await table.put({ pk: { S: 'acme|ProofRecord|p1' }, sk: { S: '~' }, kind: { S: 'record' } })
    expect(await table.check()).toEqual([
      'acme|ConnectionRecord|c1 ~: the record says that it is c2',
      'acme|ProofRecord|p1 ~: not a record',
      'acme|ProofRecord|p2 ~: version 0',
    ])
  })

  test('an event that is at another place, or whose state does not fit its attempts', async () => {
    const delivered = atRest('delivered', { id: 'x' })
    const corrupt = { ...atRest('held', { id: 'z' }), body: { N: '1' } }
    const held = atRest('held')
    const elsewhere = { ...held, pk: { S: `@endpoint|e1|events|${held.pk?.S?.endsWith('0') ? 1 : 0}` } }
    await table.putAll([delivered, corrupt, elsewhere])
    expect(await table.check()).toEqual(
      [
        `${at(delivered)}: delivered without an attempt`,
        `${at(corrupt)}: not an event`,
        `${at(elsewhere)}: is not at its address`,
      ].sort(),
    )
  })

  test('a pending event that is not in its lane or expires, and one at rest that has a position or never expires', async () => {
    const pending = { ...LISTED, expiresAt: { N: '2000000000' } }
    const { expiresAt: _, ...held } = atRest('held', { id: 'h' })
    const failed = { ...atRest('failed', { id: 'f' }), position: { S: PENDING.position } }
    const inLane = {
      ...pendingEventItem.encode(pendingEvent({ ...EVENT, id: 'i' }, EVENT.occurredAt)),
      expiresAt: { N: '1' },
    }
    await table.putAll([pending, held, failed, inLane])
    expect(await table.check()).toEqual(
      [
        `${at(pending)}: pending, and its expiry`,
        `${at(pending)}: not in its lane`,
        `${at(held)}: held, and its expiry`,
        `${at(failed)}: failed, and its position`,
        `${at(failed)}: not in its lane`,
        `${at(inLane)}: pending, and its expiry`,
      ].sort(),
    )
  })

  test('a message that waits and expires, has nothing to send, or has an outcome', async () => {
    const waiting = { ...outboxItem.encode({ ...MESSAGE, taken: 1 }), expiresAt: { N: '2000000000' } }
    const outcome = outcomeItem.encode({ ...MESSAGE, ...ENDED })
    await table.putAll([waiting, outcome, { ...outboxItem.encode({ ...MESSAGE, id: '0191' }), messages: { S: '' } }])
    expect(await table.check()).toEqual([
      'acme|ConnectionRecord|c1 0190: has an outcome already',
      'acme|ConnectionRecord|c1 0190: waits, and expires',
      'acme|ConnectionRecord|c1 0190: waits, and has nothing to send',
      'acme|ConnectionRecord|c1 0191: no item of an outbox',
    ])
  })

  test('a lane and a destination that are half in the index', async () => {
    const lane = laneItem.encode({ lane: 'acme|ConnectionRecord|c1', dueAt: 1 })
    const destination = destinationItem.encode({ destination: 'https://wallet.example', version: 1, dueShard: 'due|1' })
    await table.putAll([lane, destination])
    expect(await table.check()).toEqual([
      `${at(destination)}: is half in the index`,
      `${at(lane)}: is half in the index`,
    ])
  })

  test('a lane that waits for a destination without a wake-up', async () => {
    const waiting = waitingFor('https://wallet.example')
    await table.put(waiting)
    await table.put(destinationItem.encode({ destination: 'https://wallet.example', version: 1 }))
    expect(await table.check()).toEqual([`${at(waiting)}: waits for a destination that is not due`])
  })

  test('what is unknown, without a kind, or in a place of another kind', async () => {
    await table.putAll([
      { pk: { S: 'a' }, sk: { S: '~' }, kind: { S: 'surprise' } },
      { pk: { S: 'b' }, sk: { S: '~' } },
      { pk: { S: 'c' }, sk: { S: '~' }, kind: { S: 'key' } },
    ])
    expect(await table.check()).toEqual([
      'a ~: unknown kind "surprise"',
      'b ~: unknown kind ""',
      'c ~: no place for a key',
    ])
  })
})
