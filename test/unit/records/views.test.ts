import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { BASIC_MESSAGE_ROLES, BasicMessageRecord } from '../../../lib/records/basic-message.ts'
import { CONNECTION_ROLES, CONNECTION_STATES, ConnectionRecord } from '../../../lib/records/connection.ts'
import {
  CREDENTIAL_ROLES,
  CREDENTIAL_STATES,
  CredentialExchangeRecord,
} from '../../../lib/records/credential-exchange.ts'
import { toCredentialExchangeJson } from '../../../lib/records/credential-json.ts'
import { DELIVERY, toBasicMessageJson } from '../../../lib/records/delivery.ts'
import { OUT_OF_BAND_ROLES, OUT_OF_BAND_STATES, OutOfBandRecord } from '../../../lib/records/out-of-band.ts'
import { PROOF_ROLES, PROOF_STATES, ProofFormData } from '../../../lib/records/proof.ts'
import {
  ANONCREDS_ISSUED,
  ATTACHED_REQUEST,
  EXPIRES_WITH_HANDSHAKE,
  PENDING_DID,
  PRESENTED,
  PROVES_DEFINITION,
  ROTATIONS,
  toRecordJson,
  VERIFIER_CONTEXTS,
} from '../../../lib/records/record-json.ts'
import { BASE_AGENT, EntityId } from '../../../lib/records/tenant.ts'

const base = { id: 'r', createdAt: '2026-11-20T17:39:53.318Z', updatedAt: '2026-11-20T17:39:53.475Z', metadata: {} }

describe('a record', () => {
  test('is returned with everything that was stored and its complete tags', () => {
    const value = { ...base, content: 'hi', unheardOf: { a: [1] } }
    expect(toRecordJson({ value, tags: { threadId: 't', custom: true } })).toEqual({
      ...value,
      _tags: { threadId: 't', custom: true },
    })
  })

  test('has state and role at top level and in its tags, wherever they were stored', () => {
    const both = { state: 'done', role: 'issuer' }
    for (const stored of [
      { value: { ...base, ...both }, tags: {} },
      { value: base, tags: both },
    ])
      expect(toRecordJson(stored)).toMatchObject({ ...both, _tags: both })
  })

  test('has no state and no role if none is stored', () => {
    const json = toRecordJson({ value: base, tags: {} })
    expect(json).not.toHaveProperty('state')
    expect(json._tags).toEqual({})
  })

  test('never shows link-secret blinding data', () => {
    const metadata = {
      '_anoncreds/credentialRequest': { link_secret_blinding_data: 'secret' },
      '_internal/indyRequest': { master_secret_blinding_data: 'secret' },
      kept: {},
    }
    const stored = { value: { ...base, metadata }, tags: {} }
    expect(toRecordJson(stored).metadata).toEqual({ kept: {} })
    expect(JSON.stringify(toCredentialExchangeJson(stored))).not.toContain('secret')
  })

  test.each([
    ...[VERIFIER_CONTEXTS, PRESENTED, PROVES_DEFINITION, ANONCREDS_ISSUED],
    ...[ATTACHED_REQUEST, EXPIRES_WITH_HANDSHAKE, ROTATIONS, PENDING_DID],
  ])('never shows the internal metadata %s', (name) => {
    expect(toRecordJson({ value: { ...base, metadata: { [name]: {} } }, tags: {} }).metadata).toEqual({})
  })

  test('is not changed by being shown', () => {
    const stored = Object.freeze({ value: Object.freeze({ ...base, state: 'done' }), tags: Object.freeze({}) })
    expect(() => toCredentialExchangeJson(stored)).not.toThrow()
    expect(stored.tags).toEqual({})
  })
})

describe('a credential exchange', () => {
  const value = { ...base, threadId: 't', protocolVersion: 'v2', state: 'offer-sent', role: 'issuer' }
  const tags = { threadId: 't', connectionId: 'c', credentialIds: [] }

  test('always has both of its lists', () => {
    expect(toCredentialExchangeJson({ value, tags })).toMatchObject({ credentials: [], credentialAttributes: [] })
  })

  test('keeps lists that are there', () => {
    const lists = {
      credentials: [{ credentialRecordType: 'w3c', credentialRecordId: 'x' }],
      credentialAttributes: [{ name: 'degree', 'mime-type': 'text/plain', value: 'BSc' }],
    }
    expect(toCredentialExchangeJson({ value: { ...value, ...lists }, tags })).toMatchObject(lists)
  })

  test('shows its ledger data under the name that the interface promises', () => {
    const ledger = { credentialDefinitionId: 'cd', schemaId: 's' }
    const metadata = { '_anoncreds/credential': { ...ledger, credentialRevocationId: '7' } }
    expect(toCredentialExchangeJson({ value: { ...value, metadata }, tags }).metadata).toEqual({
      ...metadata,
      '_internal/indyCredential': ledger,
    })
  })

  test('has no ledger data if Credo has none', () => {
    expect(toCredentialExchangeJson({ value, tags }).metadata).toEqual({})
  })

  test('matches its schema', () => {
    expect(v.is(CredentialExchangeRecord, toCredentialExchangeJson({ value, tags }))).toBe(true)
  })
})

describe("schemas have exactly Credo's states and roles", () => {
  const fits = {
    credential: (state: string, role: string) =>
      v.is(
        CredentialExchangeRecord,
        toCredentialExchangeJson({
          value: { ...base, threadId: 't', protocolVersion: 'v2', state, role },
          tags: { threadId: 't' },
        }),
      ),
    proof: (state: string, role: string) =>
      v.is(
        ProofFormData,
        toRecordJson({
          value: { ...base, threadId: 't', protocolVersion: 'v2', state, role },
          tags: { threadId: 't' },
        }),
      ),
    connection: (state: string, role: string) =>
      v.is(ConnectionRecord, toRecordJson({ value: { ...base, state, role }, tags: {} })),
    outOfBand: (state: string, role: string) =>
      v.is(
        OutOfBandRecord,
        toRecordJson({
          value: { ...base, state, role, outOfBandInvitation: { '@type': 'x', '@id': 'y' } },
          tags: {},
        }),
      ),
  }

  test.each([
    ['credential', CREDENTIAL_STATES, CREDENTIAL_ROLES, 11],
    ['proof', PROOF_STATES, PROOF_ROLES, 9],
    ['connection', CONNECTION_STATES, CONNECTION_ROLES, 9],
    ['outOfBand', OUT_OF_BAND_STATES, OUT_OF_BAND_ROLES, 4],
  ] as const)('%s', (record, states, roles, count) => {
    expect(new Set(states).size).toBe(count)
    for (const state of states) for (const role of roles) expect(fits[record](state, role)).toBe(true)
    expect(fits[record]('unheard-of', roles[0])).toBe(false)
    expect(fits[record](states[0], 'unheard-of')).toBe(false)
  })

  test('the delivery of a basic message, and not the time of its change', () => {
    const value = { ...base, content: 'hi', sentTime: base.createdAt, connectionId: 'c', role: 'sender' }
    const shown = { state: 'delivered' as const, attempts: 1 }
    const stored = { value, tags: { connectionId: 'c' }, delivery: { ...shown, at: base.createdAt } }
    expect(toBasicMessageJson(stored).metadata).toEqual({ [DELIVERY]: shown })
  })

  test('basic message', () => {
    const message = (role: string) =>
      v.is(
        BasicMessageRecord,
        toBasicMessageJson({
          value: { ...base, content: 'hi', sentTime: base.createdAt, connectionId: 'c', role },
          tags: { connectionId: 'c' },
        }),
      )
    for (const role of BASIC_MESSAGE_ROLES) expect(message(role)).toBe(true)
    expect(message('witness')).toBe(false)
  })
})

describe('ids', () => {
  test.each(['a', 'x'.repeat(64), 'A-z_0.9:1', 'd734a876-e3ca-478c-901f-b447ad6b579f'])('may be %s', (id) => {
    expect(v.is(EntityId, id)).toBe(true)
  })

  test.each(['', 'x'.repeat(65), 'a b', 'a/b', 'a|b', 'a#b', 'ä', '@base', 'a\n'])('may not be "%s"', (id) => {
    expect(v.is(EntityId, id)).toBe(false)
  })

  test('cannot name the base agent', () => {
    expect(v.is(EntityId, BASE_AGENT)).toBe(false)
  })
})
