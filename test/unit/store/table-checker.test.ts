/** The checker of the table finds what it is there to find, and nothing in a table that is sound. */
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { indexEntries } from '../../../lib/store/index-entries.ts'
import {
  dataKeyAddress,
  entryPartition,
  envelopeMarkAddress,
  idempotencyAddress,
  issuerDidAddress,
  keyAddress,
  messageMarkAddress,
  tenantAddress,
} from '../../../lib/store/keys.ts'
import { type StoredRecord, toRecordItem } from '../../../lib/store/stored-record.ts'
import { type Item, toKey } from '../../../lib/store/table.ts'
import { type Attempt, toAttemptItem } from '../../../lib/webhooks/attempts.ts'
import { eventIdOf } from '../../../lib/webhooks/event-id.ts'
import { eventAddress, type NewEvent, toEventItem } from '../../../lib/webhooks/event-item.ts'
import { toReplayItem } from '../../../lib/webhooks/replay-item.ts'
import { ACME, storedRecord } from './records.ts'
import { type StartedTable, startTable } from './started-table.ts'

let table: StartedTable

beforeAll(async () => {
  table = await startTable()
})
afterAll(() => table.stop())
beforeEach(async () => {
  for (const item of await table.items()) await remove(item)
})

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
  endpointKind: 'webhook',
  recordId: 'c1',
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
}
const KEY = { ...toKey(keyAddress(ACME, 'k1')), kind: { S: 'key' } }

test('should find nothing in an empty table, nor where everything fits', async () => {
  expect(await table.check()).toEqual([])
  await store(CONNECTION)
  await store(DID)
  await table.putAll([
    KEY,
    { ...toKey(issuerDidAddress(ACME)), kind: { S: 'issuer-did' }, did: { S: 'did:key:1' } },
    { ...toKey(dataKeyAddress(ACME)), kind: { S: 'data-key' } },
    { ...toKey(envelopeMarkAddress(ACME, 'e')), kind: { S: 'mark' } },
    { ...toKey(messageMarkAddress(ACME, 's', 'm')), kind: { S: 'mark' } },
    { ...toKey(idempotencyAddress(ACME, 'root', 'i')), kind: { S: 'idempotency' } },
    { ...toKey(tenantAddress('acme')), kind: { S: 'tenant' }, id: { S: 'acme' }, orgId: { S: 'org' } },
    { pk: { S: '@org|org|tenants' }, sk: { S: 'acme' }, kind: { S: 'organization-tenant' } },
    { pk: { S: '@org|acme' }, sk: { S: 'webhook' }, kind: { S: 'registration' } },
    toEventItem(EVENT, 'pending'),
    toAttemptItem(ATTEMPT),
    toReplayItem('e1', [{ ...eventAddress(EVENT), recordId: 'c1' }]),
    { pk: { S: 'acme|outbox|c1' }, sk: { S: '0190' }, kind: { S: 'outbox' } },
  ])
  expect(await table.check()).toEqual([])
})

describe('should find', () => {
  test('a record that lacks an entry', async () => {
    await store(CONNECTION)
    const entry = entryOf(CONNECTION)
    await remove(entry)
    expect(await table.check()).toEqual([`acme|ConnectionRecord|c1 -: lacks its entry ${entry.pk?.S} ${entry.sk?.S}`])
  })

  test('an entry without its record', async () => {
    await store(CONNECTION)
    await remove(toRecordItem(CONNECTION))
    const problems = await table.check()
    expect(problems).toHaveLength(indexEntries(CONNECTION).size)
    for (const problem of problems) expect(problem).toMatch(/: has no record$/)
  })

  test.each([
    ['value', { value: { S: '{}' } }],
    ['tags', { tags: { S: '{}' } }],
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

  test('an entry at another place of its list', async () => {
    await store(CONNECTION)
    await table.put({ ...entryOf(CONNECTION), sk: { S: '2020-01-01T00:00:00.000Z#c1' } })
    expect(await table.check()).toEqual([expect.stringMatching(/: its record has no such entry$/)])
  })

  test('a DID and an invitation whose key is not there', async () => {
    await store(DID)
    const invitation = { id: 'o1', invitationInlineServiceKeys: [{ recipientKeyFingerprint: 'z6Mk', kmsKeyId: 'k2' }] }
    await store(storedRecord({ type: 'OutOfBandRecord', id: 'o1', value: invitation }))
    expect(await table.check()).toEqual([
      'acme|DidRecord|d1 -: lacks its key k1',
      'acme|OutOfBandRecord|o1 -: lacks its key k2',
    ])
  })

  test('a key of another tenant in the place of the own one', async () => {
    await store(DID)
    await table.put({ ...KEY, ...toKey(keyAddress('other', 'k1')) })
    expect(await table.check()).toEqual(['acme|DidRecord|d1 -: lacks its key k1'])
  })

  test('an issuer DID that is none of the agent', async () => {
    await table.put({ ...toKey(issuerDidAddress(ACME)), kind: { S: 'issuer-did' }, did: { S: 'did:key:1' } })
    expect(await table.check()).toEqual(['acme|issuer-did -: lacks the record of its DID'])
  })

  test('a record that says that it is another, has no version, or is none', async () => {
    await store({ ...CONNECTION, value: { ...CONNECTION.value, id: 'c2' } })
    await store({ ...storedRecord({ type: 'DidCommMessageRecord', id: 'm1' }), version: 0 })
    await table.put({ pk: { S: 'acme|ProofRecord|p1' }, sk: { S: '-' }, kind: { S: 'record' } })
    expect(await table.check()).toEqual([
      'acme|ConnectionRecord|c1 -: the record says that it is c2',
      'acme|DidCommMessageRecord|m1 -: version 0',
      'acme|ProofRecord|p1 -: not a record',
    ])
  })

  test('an event that is at another place, or whose state does not fit its attempts', async () => {
    await table.putAll([
      { ...toEventItem(EVENT, 'pending'), sk: { S: `2026-01-02T00:00:00.000Z#${EVENT.id}` } },
      { ...toEventItem({ ...EVENT, id: 'x' }, 'delivered') },
      { ...toEventItem({ ...EVENT, id: 'y' }, 'held'), attempts: { N: '1' }, nextAttemptAt: { S: EVENT.occurredAt } },
      { ...toEventItem({ ...EVENT, id: 'z' }, 'pending'), body: { N: '1' } },
    ])
    expect(await table.check()).toEqual([
      '@endpoint|e1|events 2026-01-01T00:00:00.000Z#x: delivered without an attempt',
      '@endpoint|e1|events 2026-01-01T00:00:00.000Z#y: held, and yet to be tried again',
      '@endpoint|e1|events 2026-01-01T00:00:00.000Z#z: not an event',
      `@endpoint|e1|events 2026-01-02T00:00:00.000Z#${EVENT.id}: is not at its address`,
    ])
  })

  test('an attempt and a replay of an event that is not there', async () => {
    const replay = toReplayItem('e1', [{ ...eventAddress(EVENT), recordId: 'c1' }])
    await table.putAll([toAttemptItem(ATTEMPT), replay])
    expect(await table.check()).toEqual([
      `@endpoint|e1|attempts ${ATTEMPT.startedAt}#${EVENT.id}#1: has no event`,
      `@endpoint|e1|replays ${replay.sk?.S}: lacks one of its events`,
    ])
  })

  test('what is unknown, without a kind, or in a place of another kind', async () => {
    await table.putAll([
      { pk: { S: 'a' }, sk: { S: '-' }, kind: { S: 'surprise' } },
      { pk: { S: 'b' }, sk: { S: '-' } },
      { pk: { S: 'c' }, sk: { S: '-' }, kind: { S: 'key' } },
    ])
    expect(await table.check()).toEqual([
      'a -: unknown kind "surprise"',
      'b -: unknown kind ""',
      'c -: no place for a key',
    ])
  })
})
