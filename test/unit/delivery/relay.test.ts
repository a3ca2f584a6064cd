/** What leaves because of a change, and how it is cut into calls. */
import type { DynamoDBRecord } from 'aws-lambda'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { leavingMessages } from '../../../lib/delivery/leaving-messages.ts'
import { outboxItem } from '../../../lib/delivery/outbox-item.ts'
import { readPointer } from '../../../lib/delivery/pointer.ts'
import { relay, rounds } from '../../../lib/delivery/relay.ts'

const QUEUE = 'https://queue.example/messages.fifo'

const newItem = (tenant: string, connectionId: string, id: string) =>
  outboxItem({
    tenant,
    connectionId,
    id,
    messages: [{ endpoint: 'https://wallet.example', payload: '{}' }],
    createdAt: '2026-01-01T00:00:00.000Z',
    expiresAt: 1,
  })

const inserted = (NewImage: ReturnType<typeof newItem>): DynamoDBRecord => ({
  eventName: 'INSERT',
  // The two packages describe the same wire format in types of their own.
  dynamodb: { NewImage: JSON.parse(JSON.stringify(NewImage)) },
})

describe('a new outbox item', () => {
  test('should leave as a pointer to it, and nothing of its content', () => {
    const [message, ...rest] = leavingMessages(inserted(newItem('acme', 'c1', 'i1')), QUEUE)
    expect(rest).toEqual([])
    expect(message?.queueUrl).toBe(QUEUE)
    expect(readPointer(message?.body ?? '')).toEqual({ pk: 'acme|outbox|c1', sk: 'i1' })
    expect(JSON.stringify(message)).not.toContain('wallet.example')
  })

  test('should be in the group of its tenant and connection, with an id of its own that is always the same', () => {
    const of = (...ids: [string, string, string]) => leavingMessages(inserted(newItem(...ids)), QUEUE)[0]
    expect(of('acme', 'c1', 'i1')).toEqual(of('acme', 'c1', 'i1'))
    expect(of('acme', 'c1', 'i1')?.group).toBe(of('acme', 'c1', 'i2')?.group)
    expect(of('acme', 'c1', 'i1')?.id).not.toBe(of('acme', 'c1', 'i2')?.id)
    expect(of('acme', 'c1', 'i1')?.group).not.toBe(of('acme', 'c2', 'i1')?.group)
    expect(of('acme', 'c1', 'i1')?.group).not.toBe(of('other', 'c1', 'i1')?.group)
    expect(of('acme', 'c1', 'i1')?.group).toMatch(/^[A-Za-z0-9_-]{1,128}$/)
  })
})

describe('any other change', () => {
  const item = newItem('acme', 'c1', 'i1')
  test.each<[string, DynamoDBRecord]>([
    ['of an outbox item that is there', { ...inserted(item), eventName: 'MODIFY' }],
    ['that removes an outbox item', { ...inserted(item), eventName: 'REMOVE' }],
    ['of a record', inserted({ ...item, kind: { S: 'record' } })],
    ['of something without a kind', inserted({ pk: { S: 'a' }, sk: { S: 'b' } })],
    ['without an image', { eventName: 'INSERT', dynamodb: {} }],
    ['without anything', {}],
  ])('%s should let nothing leave', (_name, record) => {
    expect(leavingMessages(record, QUEUE)).toEqual([])
  })
})

test('a queue message that is no pointer should be told from one', () => {
  for (const body of ['', 'x', '{}', '[]', '{"pk":1,"sk":"a"}', '{"pk":"a"}', 'null'])
    expect(readPointer(body)).toBeUndefined()
})

test('a change that cannot be read should be skipped with a line in the log, not stop its shard', async () => {
  vi.stubEnv('LOG_LEVEL', 'error')
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const garbled = inserted({ kind: { S: 'outbox' }, pk: { N: '1' }, messages: { S: 'secret' } })
  const records = [{ ...garbled, dynamodb: { ...garbled.dynamodb, SequenceNumber: '7' } }]
  expect(await relay(records, (record) => leavingMessages(record, QUEUE))).toBeUndefined()
  expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('"sequence":"7"'))
  expect(log).not.toHaveBeenCalledWith(expect.stringContaining('secret'))
  log.mockRestore()
  vi.unstubAllEnvs()
})

describe('rounds', () => {
  const messages = fc.array(
    fc.record({
      queueUrl: fc.constantFrom('a', 'b'),
      group: fc.constantFrom('1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'),
      id: fc.uuid(),
      body: fc.constant(''),
    }),
    { maxLength: 100 },
  )

  test('should keep the order and lose nothing', () => {
    fc.assert(
      fc.property(messages, (all) => {
        expect(rounds(all).flat()).toEqual(all)
      }),
    )
  })

  test('should never hold two messages of one group, nor more than a call takes, nor nothing', () => {
    fc.assert(
      fc.property(messages, (all) => {
        for (const round of rounds(all)) {
          expect(round.length).toBeGreaterThan(0)
          expect(round.length).toBeLessThanOrEqual(10)
          expect(new Set(round.map(({ queueUrl, group }) => `${queueUrl} ${group}`)).size).toBe(round.length)
        }
      }),
    )
  })

  test('should put messages of different groups together', () => {
    const all = Array.from({ length: 20 }, (_, index) => ({ queueUrl: 'a', group: String(index), id: '', body: '' }))
    expect(rounds(all)).toHaveLength(2)
  })
})
