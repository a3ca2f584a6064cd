/** A record's way into items and back, and addresses that are read back. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  basicMessageAddress,
  eventLane,
  eventLaneOf,
  jobAddress,
  jobKeyOf,
  messageLane,
  messageLaneOf,
} from '../../../lib/outbox/wake-ups/keys.ts'
import { RECORDS } from '../../../lib/records/kinds.ts'
import { indexEntries } from '../../../lib/store/index-entries.ts'
import type { Image } from '../../../lib/store/item.ts'
import { messageMarkAddress } from '../../../lib/store/keys.ts'
import { fromRecordItem, hasContent, toRecordItem, toStoredRecord } from '../../../lib/store/stored-record.ts'
import { addressOf } from '../../../lib/store/table.ts'
import { ACME, storedRecord } from './records.ts'

test('a record should come back as it went into its item, whatever is in it', () => {
  const roundTrip = fc.property(fc.jsonValue(), fc.string({ unit: 'grapheme' }), (value, tag) => {
    const record = storedRecord({ tags: { did: tag, previousDids: [tag], ready: true, none: null }, value: { value } })
    expect(fromRecordItem(toRecordItem(record))).toEqual(JSON.parse(JSON.stringify(record)))
  })
  fc.assert(roundTrip)
})

test('a record should come back out of an entry that carries it', () => {
  const record = storedRecord({ tags: { did: 'd', threadId: 't' } })
  const copies = [...indexEntries(record).values()].filter(hasContent)
  expect(copies).toHaveLength(2)
  for (const entry of copies) expect(toStoredRecord(entry)).toEqual(record)
})

test('a record that lies in the partition of an index should come back from there', () => {
  const record = storedRecord({
    type: 'BasicMessageRecord',
    tags: { connectionId: 'c' },
    delivery: { state: 'delivered', attempts: 1, at: '2026-01-01T00:00:00.000Z' },
  })
  const item = toRecordItem(record)
  expect(addressOf(item)).toEqual(basicMessageAddress(ACME, 'c', String(record.value.createdAt), record.id))
  expect(indexEntries(record).size).toBe(0)
  expect(hasContent(item)).toBe(true)
  expect([fromRecordItem(item), toStoredRecord(item)]).toEqual([record, record])
})

test.each([{}, { connectionId: null }, { connectionId: ['c', 'd'] }])(
  'a record should not be stored nowhere or in several partitions: %o',
  (tags) => {
    const record = storedRecord({ type: 'BasicMessageRecord', tags })
    expect(() => toRecordItem(record)).toThrow('a BasicMessageRecord cannot be stored without connectionId')
  },
)

test('the records of a kind without an item of their own should have no other index', () => {
  const within = RECORDS.filter((kind) => kind.partitionTag !== undefined)
  expect(within.map(({ type }) => type)).toEqual(['BasicMessageRecord', 'DidCommMessageRecord'])
  for (const kind of within) expect(Object.keys(kind.indexes)).toEqual([kind.partitionTag])
})

test.each([
  ['of another kind', { kind: { S: 'key' } }, 'a stored record is corrupt at kind'],
  ['without its tags', { content: { S: '[{}]' } }, 'a stored record is corrupt at content.1'],
  ['whose value is no object', { content: { S: '[[],{}]' } }, 'a stored record is corrupt at content.0'],
  ['whose content is not packed text', { content: { B: Buffer.from('{}') } }, 'a stored record is corrupt at content'],
  ['without an address', { pk: { S: '' } }, 'no record at'],
])('an item %s should not be taken for a record', (_name, changes: Image, message) => {
  expect(() => fromRecordItem({ ...toRecordItem(storedRecord()), ...changes })).toThrow(message)
})

describe('addresses', () => {
  test('of jobs and lanes should be read back, and no other ones', () => {
    const job = { tenant: 'acme', type: 'presentation', id: 'p' }
    expect(jobKeyOf(jobAddress(job).pk)).toEqual(job)
    for (const pk of ['acme|job|t', 'acme|job|t|', 'acme|job||i', '|job|t|i', 'acme|key|t|i', 'acme|job|t|i|x'])
      expect(jobKeyOf(pk)).toBeUndefined()
    const connection = { tenant: 'acme', connectionId: 'c' }
    expect(messageLaneOf(messageLane('acme', 'c'))).toEqual(connection)
    expect(messageLaneOf(messageLane('acme', 'c', 'd'))).toEqual({ ...connection, did: 'd' })
    const type = 'ConnectionRecord'
    for (const lane of [`acme|${type}|`, `acme|${type}|c|`, `acme|${type}|c|d|x`, `|${type}|c`, 'acme|ProofRecord|c'])
      expect(messageLaneOf(lane)).toBeUndefined()
    expect(eventLaneOf(eventLane('o', 'e', 'r'))).toEqual({ orgId: 'o', endpointId: 'e', recordId: 'r' })
    for (const lane of ['@outbox|o|e', '@outbox|o|e|', '@outbox|o|e|r|x', 'x@outbox|o|e|r', 'o|e|r'])
      expect(eventLaneOf(lane)).toBeUndefined()
  })

  test('should tell sender and message apart, wherever one ends', () => {
    expect(messageMarkAddress(ACME, 'ab', 'c')).not.toEqual(messageMarkAddress(ACME, 'a', 'bc'))
  })
})
