/** Which facts changes of the table are. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONNECTION_STATES } from '../../../lib/records/connection.ts'
import { CREDENTIAL_STATES } from '../../../lib/records/credential-exchange.ts'
import { PROOF_STATES } from '../../../lib/records/proof.ts'
import { toRecordItem } from '../../../lib/store/stored-record.ts'
import { factsOf } from '../../../lib/webhooks/facts.ts'
import { inserted, modified, removed } from '../../support/webhooks/changes.ts'
import {
  message,
  outboxWith,
  outcomeWith,
  queued,
  recordItem,
  registrationItem,
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

test('a presentation that was verified after it had come is told of in the same state', () => {
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

  test('should tell of every transition that there could be, and of none where the state stays', () => {
    for (const before of states)
      for (const after of states) {
        const facts = factsOf(modified(recordItem(recordType, before, 4), recordItem(recordType, after, 7)))
        const told = { type, sequence: 7, previousState: before, occurredAt: writtenAt(7) }
        expect(facts).toEqual(before === after ? [] : [expect.objectContaining(told)])
      }
  })

  test('should tell of nothing when it is deleted', () => {
    expect(factsOf(removed(recordItem(recordType, states[0])))).toEqual([])
  })

  test('should tell of a walk through its states exactly the steps, with growing sequences', () => {
    const steps = fc.array(fc.record({ state: fc.constantFrom(...states), skipped: fc.nat(3) }), { minLength: 1 })
    fc.assert(
      fc.property(steps, (walk) => {
        let version = 0
        let before: ReturnType<typeof recordItem> | undefined
        let last: string | undefined
        const expected: unknown[] = []
        const told = walk.flatMap(({ state, skipped }) => {
          version += 1 + skipped
          if (state !== last) expected.push({ state, previousState: last, sequence: version })
          const after = recordItem(recordType, state, version)
          const change = before === undefined ? inserted(after) : modified(before, after)
          last = state
          before = after
          return factsOf(change)
        })
        expect(
          told.map(({ record, previousState, sequence }) => ({ state: record.state, previousState, sequence })),
        ).toEqual(expected)
      }),
    )
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

  test('should be told of when it happens, with the version as its sequence', () => {
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

  test('should not be told of again when the record changes otherwise, or loses it', () => {
    expect(factsOf(modified(version(6, after), version(7, { ...after, alias: 'x' })))).toEqual([])
    expect(factsOf(modified(version(6, after), version(7, {})))).toEqual([])
    expect(factsOf(removed(version(6, after)))).toEqual([])
  })

  test('should not be told of beside a new state, whose event has the same sequence', () => {
    const types = (change: Parameters<typeof factsOf>[0]) => factsOf(change).map((fact) => fact.type)
    const [stateChanged] = types(inserted(version(1, {})))
    expect(types(modified(version(4, before, 'abandoned'), version(5, after)))).toEqual([stateChanged])
    expect(types(inserted(version(1, after)))).toEqual([stateChanged])
  })
})

test('a revocation that is pending, and is tried again, should not be told of', () => {
  const pending = { state: 'pending', revokedAt: writtenAt(2) }
  const version = (number: number, revocation?: object) =>
    recordItem('CredentialRecord', 'done', number, {
      metadata: revocation === undefined ? {} : { '_agent/revocation': revocation },
    })
  expect(factsOf(modified(version(1), version(2, pending)))).toEqual([])
  expect(factsOf(modified(version(2, pending), version(3, { ...pending, reason: 'no answer' })))).toEqual([])
})

test('a notification that comes again should not be told of: who sends it chooses how often', () => {
  const version = (number: number) =>
    recordItem('CredentialRecord', 'done', number, { revocationNotification: { revocationDate: writtenAt(number) } })
  expect(factsOf(modified(version(3), version(4)))).toEqual([])
})

const SENT = {
  type: 'basic_message.sent',
  of: { tenant: 'acme' },
  recordId: 'm1',
  sequence: 1,
  occurredAt: writtenAt(1),
  record: { id: 'm1', content: 'hello', connectionId: 'c1' },
}

describe('a basic message', () => {
  test('that has come in should be told of once', () => {
    const item = toRecordItem(message('receiver'))
    expect(factsOf(inserted(item))).toMatchObject([
      { type: 'basic_message.received', recordId: 'm1', sequence: 1, record: { content: 'hello', role: 'receiver' } },
    ])
    expect(factsOf(modified(item, toRecordItem(message('receiver', 'hello', 2))))).toEqual([])
  })

  test('that was sent should be told of by its outbox item, not by its record', () => {
    expect(factsOf(inserted(toRecordItem(message('sender'))))).toEqual([])
    expect(factsOf(inserted(outboxWith()))).toEqual([SENT])
  })

  test.each([
    ['delivered', 3, { deliveredAt: writtenAt(9) }],
    ['failed', 290, {}],
  ] as const)(
    'should be told of when it was %s, with what became of it, and a sequence that grows with the attempts',
    (state, attempts, end) => {
      const record = { ...SENT.record, metadata: { '_agent/delivery': { state, attempts, ...end } } }
      expect(factsOf(inserted(outcomeWith(state, attempts)))).toEqual([
        SENT,
        { ...SENT, record, type: `basic_message.${state}`, sequence: attempts + 1, occurredAt: writtenAt(9) },
      ])
    },
  )

  test('that waits to be fetched should be told of as sent', () => {
    expect(factsOf(inserted(queued()))).toEqual([SENT])
  })

  test('that was given up without an attempt should be told of after it was sent', () => {
    expect(factsOf(inserted(outcomeWith('failed', 0))).map(({ sequence }) => sequence)).toEqual([1, 2])
  })

  test('should be told of as sent by either of its items, in whatever order they come: the event is the same', () => {
    const [bySent] = factsOf(inserted(outboxWith()))
    const [byOutcome] = factsOf(inserted(outcomeWith('delivered', 1)))
    expect(byOutcome).toEqual(bySent)
  })

  test('that was redriven should not be told of as sent again, and its outcome comes after the earlier one', () => {
    const redriven = { attempts: 291, pendingSince: writtenAt(10) }
    expect(factsOf(inserted(outboxWith(redriven)))).toEqual([])
    const [, failed] = factsOf(inserted(outcomeWith('failed', 290)))
    const [sent, delivered] = factsOf(inserted(outcomeWith('delivered', 292, { pendingSince: writtenAt(10) })))
    expect(sent).toEqual(SENT)
    expect(delivered?.sequence).toBeGreaterThan(failed?.sequence ?? Number.NaN)
  })

  test('should not be told of when an attempt fails that is not the last, nor when a message of several was taken', () => {
    expect(factsOf(modified(outboxWith({ attempts: 1 }), outboxWith({ attempts: 2 })))).toEqual([])
    expect(factsOf(modified(outboxWith(), outboxWith({ taken: 1 })))).toEqual([])
  })

  test('whose outcome is written again should not be told of again', () => {
    expect(factsOf(modified(outcomeWith('failed', 290), outcomeWith('failed', 291)))).toEqual([])
    expect(factsOf(removed(outcomeWith('failed', 290)))).toEqual([])
  })

  test('that was too large for the outbox should be known by its ids', () => {
    const basicMessages = [{ record: { id: 'm1', connectionId: 'c1' }, truncated: true as const }]
    const truncated = { recordId: 'm1', truncated: true, record: { id: 'm1', connectionId: 'c1' } }
    expect(factsOf(inserted(outboxWith({ basicMessages })))).toMatchObject([truncated])
    expect(factsOf(inserted(outcomeWith('delivered', 1, { basicMessages })))).toMatchObject([truncated, truncated])
  })

  test('should be told of with every other one of its outbox item', () => {
    const basicMessages = [{ record: { id: 'm1' } }, { record: { id: 'm2' } }]
    const facts = factsOf(inserted(outcomeWith('delivered', 1, { basicMessages })))
    expect(facts.map(({ recordId, sequence }) => [recordId, sequence])).toEqual([
      ['m1', 1],
      ['m2', 1],
      ['m1', 2],
      ['m2', 2],
    ])
  })

  test('should not be told of for an outbox item that carries none', () => {
    expect(factsOf(inserted(outboxWith({ basicMessages: undefined })))).toEqual([])
    expect(factsOf(inserted(outcomeWith('delivered', 1, { basicMessages: undefined })))).toEqual([])
  })
})

describe('an endpoint', () => {
  const disabled = registrationItem('webhook', 'disabled', 7, {
    disabledAt: { S: writtenAt(8) },
    disabledReason: { S: 'gone' },
    lastError: { S: 'status 410' },
  })

  test.each(['active', 'failing'])(
    'that was %s should be told of when it is disabled, without its secret',
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
  ])('should not be told of when it %s', (_name, change) => {
    expect(factsOf(change)).toEqual([])
  })
})

describe('nothing is told', () => {
  test.each([
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
  ['a record', { ...recordItem('ProofRecord', 'done'), value: { S: '{"secret' } }],
  ['a record without a version', { ...recordItem('ProofRecord', 'done'), version: { S: 'x' } }],
  ['an outbox item', { ...outboxWith(), basicMessages: { S: '[{}]' } }],
  ['an outbox item without messages', { ...outboxWith(), messages: { S: 'secret' } }],
  ['an outcome', { ...outcomeWith('failed', 1), state: { S: 'pending' } }],
])('a garbled image of %s throws', (_name, item) => {
  expect(() => factsOf(inserted(item))).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('secret') }),
  )
})

test('an image without a time of its own has that of the stream', () => {
  const item = recordItem('ProofRecord', 'done', 1, { createdAt: undefined, updatedAt: 'yesterday' })
  expect(factsOf(inserted(item, 1_767_225_600))).toMatchObject([{ occurredAt: '2026-01-01T00:00:00.000Z' }])
  for (const notedAt of [Number.NaN, -1, 1e15]) expect(() => factsOf(inserted(item, notedAt))).toThrow()
})
