/** What endpoints hear of a fact: ids that stay the same, bodies that fit their schema, and nothing personal where it does not belong. */
import fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { EVENT_TYPES, eventBodies } from '../../../lib/interface/webhook-events.ts'
import { CONNECTION_STATES } from '../../../lib/records/connection.ts'
import { CREDENTIAL_STATES } from '../../../lib/records/credential-exchange.ts'
import { PROOF_STATES } from '../../../lib/records/proof.ts'
import { idsOf, MAX_BODY_BYTES } from '../../../lib/records/webhook-event.ts'
import { toRecordItem } from '../../../lib/store/stored-record.ts'
import { eventBody, eventsFor, testEvent } from '../../../lib/webhooks/events.ts'
import type { Fact } from '../../../lib/webhooks/facts.ts'
import { factsOf } from '../../../lib/webhooks/facts.ts'
import { inserted, modified } from '../../support/webhooks/changes.ts'
import {
  definitionItem,
  deletedItem,
  listener,
  message,
  ownItem,
  recordItem,
  registrationItem,
  sentMessage,
  storedIn,
  writtenAt,
} from './event-scenes.ts'

const both = [listener('webhook'), listener('notification')]

const only = ([fact, ...others]: Fact[]): Fact => {
  if (fact === undefined || others.length > 0) throw new Error('not one fact')
  return fact
}

const changed = (...items: Parameters<typeof modified>): Fact => only(factsOf(modified(...items)))
const made = (item: Parameters<typeof inserted>[0]): Fact => only(factsOf(inserted(item)))

const questionItem = (state: string, version: number, more: object = {}) => {
  const validResponses = [{ text: 'I am Alice' }]
  const asked = { questionText: 'Is it you, Alice?', validResponses, signatureRequired: false, role: 'questioner' }
  const stored = storedIn('QuestionAnswerRecord', state, version, { ...asked, ...more })
  return toRecordItem({ ...stored, tags: { ...stored.tags, connectionId: 'c1' } })
}

/** Stored fields of a session that are not shown. */
const HIDDEN_OF_SESSION = {
  payload: { client_id: 'x509_hash:secret', nonce: 'secret', state: 'secret', response_mode: 'direct_post.jwt' },
  ...{ certificateId: 'secret', encryptionKey: 'secret', trustedCertificates: ['secret'] },
  ...{ resultTtl: 60, responseCode: 'secret', codeTries: 1, codeExpiresAt: writtenAt(9_000_000) },
}

/** One fact of each type. `endpoint.test` is no change of the table. */
const FACTS: Record<string, Fact> = {
  'connection.state_changed': changed(
    recordItem('ConnectionRecord', 'request-received', 1),
    recordItem('ConnectionRecord', 'completed', 3, { theirLabel: 'Alice', theirDid: 'did:peer:4zAlice' }),
  ),
  'credential.state_changed': made(
    recordItem('CredentialRecord', 'offer-sent', 1, { credentialAttributes: [{ name: 'name', value: 'Alice' }] }),
  ),
  'credential.revocation_published': changed(
    recordItem('CredentialRecord', 'done', 4, revoked('pending')),
    recordItem('CredentialRecord', 'done', 5, revoked('published')),
  ),
  'credential.revocation_notification_received': changed(
    recordItem('CredentialRecord', 'done', 4, { role: 'holder' }),
    recordItem('CredentialRecord', 'done', 5, {
      role: 'holder',
      revocationNotification: { revocationDate: writtenAt(5), comment: 'Alice has left' },
    }),
  ),
  'credential.deleted': made(deletedItem('CredentialRecord', 'done', 7)),
  'proof.state_changed': changed(
    recordItem('ProofRecord', 'request-sent', 1),
    recordItem('ProofRecord', 'abandoned', 2, { errorMessage: 'no, says Alice' }),
  ),
  'proof.deleted': made(deletedItem('ProofRecord', 'request-sent', 3)),
  'question_answer.state_changed': changed(
    questionItem('question-sent', 1),
    questionItem('answer-received', 2, { response: 'I am Alice' }),
  ),
  'credential_definition.state_changed': changed(
    definitionItem('wait', 1),
    definitionItem('failed', 2, { ...ofAlice(), reason: 'its schema does not exist in the registry' }),
  ),
  'credential_definition.ledger_objects_added': changed(
    definitionItem('finished', 3, ofAlice()),
    definitionItem('finished', 4, { ...ofAlice(), ledgerObjectsAdded: 1 }),
  ),
  'basic_message.received': made(toRecordItem(message('receiver', 'from Alice'))),
  'basic_message.sent': made(sentMessage(1, undefined, 'to Alice')),
  'basic_message.delivered': outcomeFact('delivered', 1),
  'basic_message.failed': outcomeFact('failed', 585),
  'certificate.expires': changed(certificateItem('valid', 1), certificateItem('expiring', 2)),
  'openid4vc_verification.state_changed': changed(
    sessionItem('RequestCreated', 1),
    sessionItem('RequestUriRetrieved', 2),
  ),
  'openid4vc_issuance.state_changed': changed(issuanceItem('OfferCreated', 1), issuanceItem('OfferUriRetrieved', 2)),
  'openid4vc_issuance.status_changed': changed(
    issuanceItem('Completed', 3, { credentialStatus: 'valid' }),
    issuanceItem('Completed', 4, { credentialStatus: 'revoked' }),
  ),
  'openid4vc_status_revocation.done': changed(revocationItem('pending', 1), revocationItem('done', 2)),
  'endpoint.disabled': changed(registrationItem('webhook', 'failing', 6), registrationItem('webhook', 'disabled', 7)),
}

function certificateItem(state: string, version: number) {
  const names = { subject: 'CN=Alice', issuer: 'CN=Alice', dnsNames: [], uris: ['https://example.com'] }
  const dates = { notBefore: writtenAt(0), notAfter: writtenAt(9) }
  const more = { keyId: 'k', chain: ['MIIB'], serialNumber: '01', isCa: false }
  return ownItem('X509CertificateRecord', state, version, { ...names, ...dates, ...more })
}

function sessionItem(state: string, version: number, more: object = {}) {
  const stored = storedIn('OpenId4VcVerificationSessionRecord', state, version, {
    verifierId: 'acme',
    authorizationRequest: 'openid4vp://?client_id=x509_hash:Alice',
    authorizationRequestUri: 'https://agent.example.com/oid4vp/acme/authorization-requests/1',
    expiresAt: writtenAt(9),
    ...HIDDEN_OF_SESSION,
    ...more,
  })
  // It has neither.
  const { connectionId: _, threadId: __, ...value } = stored.value
  return toRecordItem({ ...stored, value, tags: {} })
}

function issuanceItem(state: string, version: number, more: object = {}) {
  return ownItem('OpenId4VcIssuanceSessionRecord', state, version, {
    issuerId: 'Alice',
    credentials: [{ credentialConfigurationId: 'pid', vct: 'pid', claimNames: ['name'], certificateId: 'secret' }],
    expiresAt: writtenAt(9),
    ...{ pin: { mac: 'secret', tries: 0 }, txCode: { length: 4 }, tokenHash: 'secret', notificationIds: ['secret'] },
    ...more,
  })
}

function revocationItem(state: string, version: number) {
  const filter = { publicIssuerId: 'secret' }
  return ownItem('OpenId4VcStatusRevocationRecord', state, version, {
    total: 1,
    done: 1,
    failed: 0,
    filter,
    alias: 'Alice',
  })
}

function ofAlice() {
  const ids = { issuerId: 'did:webvh:acme', schemaId: 'did:webvh:acme/resources/1' }
  return { ...ids, tag: 'Alice', supportRevocation: false }
}

function revoked(state: 'pending' | 'published') {
  const credentialAttributes = [{ name: 'name', value: 'Alice' }]
  return { credentialAttributes, metadata: { '_agent/revocation': { state, revokedAt: writtenAt(3) } } }
}

function outcomeFact(state: 'delivered' | 'failed', attempts: number): Fact {
  const after = sentMessage(attempts + 1, { state, attempts }, 'to Alice')
  return changed(sentMessage(1, undefined, 'to Alice'), after)
}

const CHANGES = Object.entries(FACTS)

describe('events of every type', () => {
  test('are looked at here', () => {
    expect([...CHANGES.map(([type]) => type), 'endpoint.test']).toEqual(expect.arrayContaining([...EVENT_TYPES]))
  })

  test.each(CHANGES)('%s fits its schema for both kinds of endpoint', (_name, fact) => {
    const { webhook, notification } = eventBodies(fact.type)
    const [forWebhook, forNotification] = (['webhook', 'notification'] as const).map((kind) =>
      JSON.parse(eventBody(fact, 'acme-org', kind)),
    )
    expect(v.safeParse(webhook, forWebhook).issues).toBeUndefined()
    expect(v.safeParse(notification, forNotification).issues).toBeUndefined()
    expect(v.is(notification, forWebhook)).toBe(false)
    expect(forWebhook.data.record).toEqual(JSON.parse(JSON.stringify(fact.record)))
    expect(forWebhook).toMatchObject({ type: fact.type, timestamp: fact.occurredAt, data: { orgId: 'acme-org' } })
    expect(Object.keys(forWebhook)).toEqual(['type', 'timestamp', 'data'])
  })

  test.each(CHANGES)('%s has the ids and states of its record in a thin body, and no more', (type, fact) => {
    const { data } = JSON.parse(eventBody(fact, 'acme-org', 'notification'))
    const { previousState, ...rest } = data
    expect(previousState).toBe(fact.previousState)
    expect(rest).toEqual({
      orgId: 'acme-org',
      ...(type.startsWith('endpoint') ? {} : { tenantId: 'acme' }),
      sequence: fact.sequence,
      record: expect.objectContaining({ id: fact.recordId }),
    })
    const allowed = ['id', 'state', 'connectionId', 'threadId', 'outOfBandId', 'kind', 'status']
    const full = Object.entries(JSON.parse(eventBody(fact, 'acme-org', 'webhook')).data.record)
    expect(data.record).toEqual(Object.fromEntries(full.filter(([name]) => allowed.includes(name))))
    expect(JSON.stringify(data)).not.toMatch(/Alice|example\.com|did:/)
  })
})

test('the states of events are those of the records', () => {
  for (const [type, recordType, states] of [
    ['connection.state_changed', 'ConnectionRecord', CONNECTION_STATES],
    ['credential.state_changed', 'CredentialRecord', CREDENTIAL_STATES],
    ['proof.state_changed', 'ProofRecord', PROOF_STATES],
  ] as const)
    for (const state of states) {
      const fact = made(recordItem(recordType, state))
      expect(v.is(eventBodies(type).webhook, JSON.parse(eventBody(fact, 'org', 'webhook')))).toBe(true)
      expect(v.is(eventBodies(type).notification, JSON.parse(eventBody(fact, 'org', 'notification')))).toBe(true)
    }
})

test('an event of a verification session shows what was checked, and before the code was given not even that', () => {
  const checks = [{ name: 'signature', passed: true }]
  const recordOf = (state: string) =>
    only(factsOf(modified(sessionItem('RequestCreated', 1), sessionItem(state, 2, { checks, credentials: [] })))).record
  expect(recordOf('ResponseVerified')).toMatchObject({ state: 'ResponseVerified', checks, credentials: [] })
  const waiting = recordOf('ResponseReceived')
  expect(waiting).not.toHaveProperty('checks')
  expect(waiting).not.toHaveProperty('credentials')
  for (const record of [waiting, recordOf('ResponseVerified')]) expect(JSON.stringify(record)).not.toContain('secret')
})

test("the base agent's events say so", () => {
  const item = toRecordItem({ ...storedIn('ProofRecord', 'done'), tenant: '@base' })
  const body = JSON.parse(eventBody(made(item), 'base', 'webhook'))
  expect(body.data.tenantId).toBe('@base')
  expect(v.is(eventBodies('proof.state_changed').webhook, body)).toBe(true)
})

describe('a body', () => {
  const factOfSize = (characters: number, character = 'x') =>
    only(factsOf(inserted(toRecordItem(message('receiver', character.repeat(characters))))))
  const sizeOf = (fact: Fact) => Buffer.byteLength(eventBody(fact, 'acme-org', 'webhook'))
  const frame = sizeOf(factOfSize(0))

  test('should hold the record up to 20 KB, and its ids beyond', () => {
    const largest = factOfSize(MAX_BODY_BYTES - frame)
    expect(sizeOf(largest)).toBe(MAX_BODY_BYTES)
    expect(JSON.parse(eventBody(largest, 'acme-org', 'webhook')).data).not.toHaveProperty('truncated')
    const body = JSON.parse(eventBody(factOfSize(MAX_BODY_BYTES - frame + 1), 'acme-org', 'webhook'))
    expect(body.data).toEqual({
      orgId: 'acme-org',
      tenantId: 'acme',
      sequence: 1,
      truncated: true,
      record: { id: 'm1', connectionId: 'c1' },
    })
    expect(v.is(eventBodies('basic_message.received').webhook, body)).toBe(true)
  })

  test('should have no id that is too long, which the other agent may have chosen', () => {
    const [id, threadId] = ['i'.repeat(256), 't'.repeat(257)]
    expect(idsOf({ id, threadId })).toEqual({ id })
  })

  test('should be measured in bytes, not in characters', () => {
    expect(sizeOf(factOfSize(9_000, '€'))).toBeLessThan(1_000)
    expect(sizeOf(factOfSize(4_500, '€'))).toBeGreaterThan(13_500)
  })

  test('should be cut where a caller says', () => {
    expect(JSON.parse(eventBody(factOfSize(100), 'o', 'webhook', 100)).data.truncated).toBe(true)
  })

  test('should never be larger than 20 KB, whatever is in the record', () => {
    const records = fc.dictionary(
      fc.constantFrom('threadId', 'connectionId', 'content', 'theirLabel', 'state'),
      fc
        .record({ part: fc.constantFrom('x', '€', '😀', '"', '\u0000'), times: fc.nat(10_000) })
        .map(({ part, times }) => part.repeat(times)),
    )
    fc.assert(
      fc.property(records, (fields) => {
        const { value, tags, ...record } = message('receiver')
        const fact = only(
          factsOf(inserted(toRecordItem({ ...record, value: { ...value, ...fields, id: 'm1' }, tags }))),
        )
        for (const kind of ['webhook', 'notification'] as const)
          expect(Buffer.byteLength(eventBody(fact, 'acme-org', kind))).toBeLessThanOrEqual(MAX_BODY_BYTES)
      }),
    )
  })
})

describe('the id of an event', () => {
  const eventIds = (fact: Fact) => eventsFor(fact, both).map(({ event }) => event.id)
  const proofFact = made(recordItem('ProofRecord', 'done'))

  test('should be the same however often its change is relayed, and whatever the endpoint is called meanwhile', () => {
    expect(eventIds(proofFact)).toEqual(eventIds(made(recordItem('ProofRecord', 'done'))))
    const failing = both.map((endpoint) => ({ ...endpoint, status: 'failing' as const }))
    expect(eventsFor(proofFact, failing).map(({ event }) => event.id)).toEqual(eventIds(proofFact))
  })

  test('should be one for each type, tenant, record, sequence and endpoint', () => {
    const others: Fact[] = [
      proofFact,
      { ...proofFact, type: 'credential.state_changed' },
      { ...proofFact, of: { tenant: 'other' } },
      { ...proofFact, recordId: 'other' },
      { ...proofFact, sequence: 2 },
    ]
    expect(new Set(others.flatMap(eventIds)).size).toBe(10)
  })
})

describe('who hears of a fact', () => {
  const statesOf = (fact: Fact, ...endpoints: Parameters<typeof listener>[]) =>
    eventsFor(
      fact,
      endpoints.map((of) => listener(...of)),
    ).map(({ event, state }) => [event.endpointId.replace('endpoint-', ''), state])
  const fact = FACTS['proof.state_changed'] as Fact
  const disabled = FACTS['endpoint.disabled'] as Fact

  test('both endpoints, one, or none', () => {
    expect(statesOf(fact, ['webhook'], ['notification'])).toEqual([
      ['webhook', 'pending'],
      ['notification', 'pending'],
    ])
    expect(statesOf(fact, ['notification'])).toEqual([['notification', 'pending']])
    expect(statesOf(fact)).toEqual([])
  })

  test('a failing endpoint now, a disabled one when it asks for a replay', () => {
    expect(statesOf(fact, ['webhook', 'failing'], ['notification', 'disabled'])).toEqual([
      ['webhook', 'pending'],
      ['notification', 'held'],
    ])
  })

  test('the other endpoint of one that was disabled', () => {
    expect(statesOf(disabled, ['webhook', 'disabled'], ['notification'])).toEqual([['notification', 'pending']])
    expect(statesOf(disabled, ['webhook', 'disabled'])).toEqual([])
  })
})

describe('a test event', () => {
  const endpoint = {
    ...listener('webhook'),
    url: 'https://a.example/hook',
    createdAt: writtenAt(1),
    updatedAt: writtenAt(2),
    version: 3,
  }

  test.each(['webhook', 'notification'] as const)('fits its schema at a %s endpoint', (kind) => {
    const event = testEvent({ ...endpoint, kind }, writtenAt(5))
    expect(event).toMatchObject({ type: 'endpoint.test', recordId: 'endpoint-webhook', occurredAt: writtenAt(5) })
    expect(v.safeParse(eventBodies('endpoint.test')[kind], JSON.parse(event.body)).issues).toBeUndefined()
  })

  test('is another one each time, and has no secret', () => {
    const secret = new Uint8Array(Buffer.from('secret'))
    const withSecret = { ...endpoint, secret, lastError: 'status 500' }
    const [one, other] = [5, 6].map((version) => testEvent(withSecret, writtenAt(version)))
    expect(one?.id).not.toBe(other?.id)
    expect(JSON.parse(one?.body ?? '').data).toEqual({
      orgId: 'acme-org',
      sequence: 3,
      record: {
        id: 'endpoint-webhook',
        orgId: 'acme-org',
        kind: 'webhook',
        url: 'https://a.example/hook',
        status: 'active',
        createdAt: writtenAt(1),
        updatedAt: writtenAt(2),
        lastError: 'status 500',
      },
    })
  })
})
