/** Which facts changes of the table are. */
import { describe, expect, test } from 'vitest'
import { CONNECTION_STATES } from '../../../lib/records/connection.ts'
import { CREDENTIAL_STATES } from '../../../lib/records/credential-exchange.ts'
import { PROOF_STATES } from '../../../lib/records/proof.ts'
import { toRecordItem } from '../../../lib/store/stored-record.ts'
import { factsOf } from '../../../lib/webhooks/facts.ts'
import { inserted, modified, removed } from '../../support/webhooks/changes.ts'
import {
  deletedItem,
  message,
  outboxWith,
  recordItem,
  registrationItem,
  sentMessage,
  storedIn,
  writtenAt,
} from './event-scenes.ts'

const MACHINES = [
  ['ConnectionRecord', 'connection.state_changed', CONNECTION_STATES],
  ['CredentialRecord', 'credential.state_changed', CREDENTIAL_STATES],
  ['ProofRecord', 'proof.state_changed', PROOF_STATES],
] as const

/** Exchanges of these types come to an end. */
const FORMATS: Record<string, string> = { CredentialRecord: 'credential/json-ld', ProofRecord: 'proof/anoncreds' }

const endOf = (recordType: string, state: string) => {
  const format = FORMATS[recordType]
  return format !== undefined && /^(done|declined|abandoned)$/.test(state) ? { ended: { format, state } } : {}
}

test('a presentation that is verified after its arrival is reported in the same state', () => {
  const received = (version: number, more = {}) => recordItem('ProofRecord', 'presentation-received', version, more)
  const state = 'presentation-received'
  const verified = { sequence: 5, previousState: state, record: expect.objectContaining({ state, isVerified: true }) }
  expect(factsOf(modified(received(4), received(5, { isVerified: true })))).toEqual([expect.objectContaining(verified)])
  const again = [received(5, { isVerified: true }), received(6, { isVerified: true })] as const
  expect(factsOf(modified(...again))).toEqual([])
})

describe.each(MACHINES)('%s', (recordType, type, states) => {
  test.each(states)('should tell of %s as the first state', (state) => {
    expect(factsOf(inserted(recordItem(recordType, state)))).toEqual([
      {
        type,
        of: { tenant: 'acme' },
        recordId: storedIn(recordType, state).id,
        sequence: 1,
        occurredAt: writtenAt(1),
        record: expect.objectContaining({ state, _tags: expect.objectContaining({ state }) }),
        ...endOf(recordType, state),
      },
    ])
  })

  test('should report every possible transition, and nothing if the state stays', () => {
    for (const before of states)
      for (const after of states) {
        const facts = factsOf(modified(recordItem(recordType, before, 4), recordItem(recordType, after, 7)))
        const told = { type, sequence: 7, previousState: before, occurredAt: writtenAt(7) }
        expect(facts).toEqual(before === after ? [] : [expect.objectContaining(told)])
      }
  })

  test('should report nothing when it is deleted', () => {
    expect(factsOf(removed(recordItem(recordType, states[0])))).toEqual([])
  })
})

/** What happens to a record that stays in its state: the event, before and after. */
const OTHERS: [type: string, recordType: string, state: string, before: object, after: object][] = [
  [
    'credential.revocation_published',
    'CredentialRecord',
    'done',
    { metadata: { '_agent/revocation': { state: 'pending', revokedAt: writtenAt(2) } } },
    { metadata: { '_agent/revocation': { state: 'published', revokedAt: writtenAt(2) } } },
  ],
  [
    'credential.revocation_notification_received',
    'CredentialRecord',
    'done',
    {},
    { revocationNotification: { revocationDate: writtenAt(3), comment: 'lost' } },
  ],
  [
    'credential_definition.ledger_objects_added',
    'CredentialDefinitionRecord',
    'finished',
    { ledgerObjectsAdded: 1 },
    { ledgerObjectsAdded: 2 },
  ],
]

describe.each(OTHERS)('%s', (type, recordType, state, before, after) => {
  const version = (number: number, more: object, at = state) =>
    recordItem(recordType, at, number, more as Record<string, unknown>)

  test('should be reported when it happens, with the version as its sequence', () => {
    expect(factsOf(modified(version(4, before), version(6, after)))).toEqual([
      {
        type,
        of: { tenant: 'acme' },
        recordId: storedIn(recordType, state).id,
        sequence: 6,
        occurredAt: writtenAt(6),
        record: expect.objectContaining(after),
      },
    ])
  })

  test('should not be reported again when the record changes otherwise, or loses it', () => {
    expect(factsOf(modified(version(6, after), version(7, { ...after, alias: 'x' })))).toEqual([])
    expect(factsOf(modified(version(6, after), version(7, {})))).toEqual([])
    expect(factsOf(removed(version(6, after)))).toEqual([])
  })

  test('should not be reported beside a new state, whose event has the same sequence', () => {
    const types = (change: Parameters<typeof factsOf>[0]) => factsOf(change).map((fact) => fact.type)
    const [stateChanged] = types(inserted(version(1, {})))
    expect(types(modified(version(4, before, 'abandoned'), version(5, after)))).toEqual([stateChanged])
    expect(types(inserted(version(1, after)))).toEqual([stateChanged])
  })
})

test('a pending revocation that is tried again should not be reported', () => {
  const pending = { state: 'pending', revokedAt: writtenAt(2) }
  const version = (number: number, revocation?: object) =>
    recordItem('CredentialRecord', 'done', number, {
      metadata: revocation === undefined ? {} : { '_agent/revocation': revocation },
    })
  expect(factsOf(modified(version(1), version(2, pending)))).toEqual([])
  expect(factsOf(modified(version(2, pending), version(3, { ...pending, reason: 'no answer' })))).toEqual([])
})

test('a repeated notification should not be reported: its sender chooses how often', () => {
  const version = (number: number) =>
    recordItem('CredentialRecord', 'done', number, { revocationNotification: { revocationDate: writtenAt(number) } })
  expect(factsOf(modified(version(3), version(4)))).toEqual([])
})

describe('a basic message', () => {
  const types = (change: Parameters<typeof factsOf>[0]) => factsOf(change).map(({ type }) => type)
  const pending = { state: 'pending', attempts: 1, lastError: 'status 500', nextAttemptAt: writtenAt(8) } as const
  const failed = { state: 'failed', attempts: 290, lastError: 'status 500' } as const
  const delivered = { state: 'delivered', attempts: 3, deliveredAt: writtenAt(7) } as const

  test('that was received should be reported once', () => {
    const item = toRecordItem(message('receiver'))
    expect(factsOf(inserted(item))).toMatchObject([
      { type: 'basic_message.received', recordId: 'm1', sequence: 1, record: { content: 'hello', role: 'receiver' } },
    ])
    expect(factsOf(modified(item, toRecordItem(message('receiver', 'hello', 2))))).toEqual([])
  })

  test('that was sent should be reported by its record, and not by its outbox item', () => {
    expect(factsOf(inserted(sentMessage(1)))).toMatchObject([
      {
        ...{ type: 'basic_message.sent', of: { tenant: 'acme' }, recordId: 'm1', sequence: 1 },
        ...{ occurredAt: writtenAt(1), record: { content: 'hello', role: 'sender' } },
      },
    ])
    expect(factsOf(inserted(outboxWith({ basicMessages: [{ id: 'm1', createdAt: writtenAt(1) }] })))).toEqual([])
  })

  test.each([delivered, failed])('should be reported when it was $state, with its delivery', (delivery) => {
    const { metadata, ...record } = message('sender').value
    for (const before of [sentMessage(6), sentMessage(6, pending)])
      expect(factsOf(modified(before, sentMessage(7, delivery)))).toEqual([
        {
          ...{ type: `basic_message.${delivery.state}`, of: { tenant: 'acme' }, recordId: 'm1', sequence: 7 },
          occurredAt: writtenAt(7),
          record: expect.objectContaining({ ...record, metadata: { '_agent/delivery': delivery } }),
        },
      ])
  })

  test('should not be reported after a failed attempt that is not the last, when it waits, or when it is deleted', () => {
    expect(types(modified(sentMessage(1), sentMessage(2, pending)))).toEqual([])
    expect(types(modified(sentMessage(2, pending), sentMessage(3, { ...pending, attempts: 2 })))).toEqual([])
    expect(types(modified(sentMessage(1), sentMessage(2, { state: 'waiting-for-pickup', attempts: 0 })))).toEqual([])
    expect(types(removed(sentMessage(3, failed)))).toEqual([])
  })

  test('that changes otherwise should not be reported as delivered again', () => {
    expect(types(modified(sentMessage(3, delivered), sentMessage(4, delivered, 'changed')))).toEqual([])
    expect(types(modified(sentMessage(3, failed), sentMessage(4, { ...failed, attempts: 291 })))).toEqual([])
  })

  test('that was redriven should be reported in its order, with growing sequences', () => {
    const items = [
      sentMessage(1),
      sentMessage(2, pending),
      sentMessage(3, failed),
      sentMessage(4, pending),
      sentMessage(5, failed),
      sentMessage(6, pending),
      sentMessage(7, delivered),
    ]
    const facts = items.flatMap((item, index) => {
      const before = items[index - 1]
      return factsOf(before === undefined ? inserted(item) : modified(before, item))
    })
    expect(facts.map(({ type, sequence }) => `${type} ${sequence}`)).toEqual([
      'basic_message.sent 1',
      'basic_message.failed 3',
      'basic_message.failed 5',
      'basic_message.delivered 7',
    ])
  })

  test('that was received should not be reported as sent or delivered, for any content', () => {
    const stored = message('receiver')
    const claims = { ...stored.value, metadata: { '_agent/delivery': { state: 'delivered' } }, state: 'delivered' }
    expect(types(inserted(toRecordItem({ ...stored, value: claims })))).toEqual(['basic_message.received'])
  })
})

test.each([
  ['CredentialRecord', 'credential.deleted'],
  ['ProofRecord', 'proof.deleted'],
])('a %s that was deleted should be reported after its last change, without its content', (recordType, type) => {
  const { id } = storedIn(recordType, 'done')
  const [of, record] = [{ tenant: 'acme' }, { id, state: 'done', by: 'call' }]
  expect(factsOf(inserted(deletedItem(recordType, 'done', 8)))).toEqual([
    { type, of, recordId: id, sequence: 8, occurredAt: writtenAt(8), record },
  ])
})

describe('an endpoint', () => {
  const disabled = registrationItem('webhook', 'disabled', 7, {
    disabledAt: { S: writtenAt(8) },
    disabledReason: { S: 'gone' },
    lastError: { S: 'status 410' },
  })

  test.each(['active', 'failing'])(
    'that was %s should be reported when it is disabled, without its secret',
    (before) => {
      const facts = factsOf(modified(registrationItem('webhook', before, 6), disabled))
      expect(facts).toEqual([
        {
          type: 'endpoint.disabled',
          of: { orgId: 'acme-org', endpointId: 'endpoint-webhook' },
          recordId: 'endpoint-webhook',
          sequence: 7,
          previousState: before,
          occurredAt: writtenAt(8),
          record: {
            id: 'endpoint-webhook',
            orgId: 'acme-org',
            kind: 'webhook',
            url: 'https://webhook.example.com/hook',
            status: 'disabled',
            createdAt: writtenAt(1),
            updatedAt: writtenAt(7),
            disabledAt: writtenAt(8),
            disabledReason: 'gone',
            lastError: 'status 410',
          },
        },
      ])
    },
  )

  test.each([
    ['is new', inserted(registrationItem('webhook', 'active', 1))],
    ['begins to fail', modified(registrationItem('webhook', 'active', 1), registrationItem('webhook', 'failing', 2))],
    ['stays disabled', modified(disabled, { ...disabled, version: { N: '8' } })],
    ['is enabled', modified(disabled, registrationItem('webhook', 'active', 8))],
    ['is deleted', removed(disabled)],
  ])('should not be reported when it %s', (_name, change) => {
    expect(factsOf(change)).toEqual([])
  })
})

describe('nothing is reported', () => {
  test.each([
    ['of a deleted record without such an event', inserted(deletedItem('DidRecord', 'x', 2))],
    ['of a record without states', inserted(toRecordItem({ ...storedIn('DidRecord', 'x'), type: 'DidRecord' }))],
    ['of a record that has no state', inserted(toRecordItem({ ...storedIn('ProofRecord', 'x'), value: {}, tags: {} }))],
    ['of an index entry', inserted({ ...recordItem('ProofRecord', 'done'), kind: { S: 'entry' } })],
    ['of something without a kind', inserted({ pk: { S: 'a' }, sk: { S: 'b' } })],
    ['without an image', { eventName: 'INSERT' as const, dynamodb: {} }],
    ['without anything', {}],
  ])('%s', (_name, change) => {
    expect(factsOf(change)).toEqual([])
  })
})

test.each([
  ['a record', { ...recordItem('ProofRecord', 'done'), content: { S: '{"secret' } }],
  ['a record without a version', { ...recordItem('ProofRecord', 'done'), version: { S: 'x' } }],
  ['a basic message', { ...sentMessage(2), delivery: { S: '{"state":"secret"}' } }],
  ['a basic message whose delivery has no time', { ...sentMessage(2), delivery: { S: '{"state":"failed"}' } }],
])('a garbled image of %s throws', (_name, item) => {
  expect(() => factsOf(inserted(item))).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('secret') }),
  )
})

test('an image that was never updated has the time at which it was created', () => {
  const item = recordItem('ProofRecord', 'done', 1, { updatedAt: undefined })
  expect(factsOf(inserted(item, 1_767_225_600))).toMatchObject([{ occurredAt: writtenAt(1) }])
})

test('an image without a time gets that of the stream', () => {
  const item = recordItem('ProofRecord', 'done', 1, { createdAt: undefined, updatedAt: 'yesterday' })
  expect(factsOf(inserted(item, 1_767_225_600))).toMatchObject([{ occurredAt: '2026-01-01T00:00:00.000Z' }])
  for (const notedAt of [Number.NaN, -1, 1e15]) expect(() => factsOf(inserted(item, notedAt))).toThrow()
})
