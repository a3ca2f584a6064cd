import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { SendMessage, TenantGetBasicMessages } from '../../../lib/interface/basic-messages.ts'
import { GetConnections } from '../../../lib/interface/connections.ts'
import type { Schema } from '../../../lib/interface/contract.ts'
import { CreateOffer } from '../../../lib/interface/credentials.ts'
import { ReceiveDidcomm } from '../../../lib/interface/didcomm.ts'
import { CreateRequest } from '../../../lib/interface/proofs.ts'
import { CreateTenant } from '../../../lib/interface/tenants.ts'
import { RegisterNotificationWebhook, RegisterWebhook } from '../../../lib/interface/webhooks.ts'

/** Dotted paths of what is wrong; nothing when all is well. */
const faults = (schema: Schema, input: unknown): string[] =>
  (v.safeParse(schema, input).issues ?? []).map((issue) => v.getDotPath(issue) ?? '')

describe('SendMessage', () => {
  const { body } = SendMessage

  test.each([['a'], ['x'.repeat(100_000)], ['\u0000'], ['👋']])(
    'takes a content of 1 to 100,000 characters',
    (content) => {
      expect(v.parse(body, { content })).toEqual({ content })
    },
  )

  test.each([
    [{}, 'content'],
    [{ content: '' }, 'content'],
    [{ content: 'x'.repeat(100_001) }, 'content'],
    [{ content: 7 }, 'content'],
    [{ content: null }, 'content'],
    [{ content: 'a', more: 1 }, 'more'],
  ])('refuses %o', (input, path) => {
    expect(faults(body, input)).toEqual([path])
  })
})

describe('a page', () => {
  const { query } = TenantGetBasicMessages.parameters

  test('has 1000 items, oldest first, unless it is asked otherwise', () => {
    expect(v.parse(query, {})).toEqual({ limit: 1000, order: 'asc' })
    expect(v.parse(query, { limit: '1', order: 'desc', cursor: 'a-_' })).toEqual({
      limit: 1,
      order: 'desc',
      cursor: 'a-_',
    })
  })

  test.each([{ limit: '0' }, { limit: '1001' }, { limit: '01001' }, { limit: '1.5' }, { limit: ' 1' }, { limit: '٣' }])(
    'does not have %o',
    (input) => {
      expect(faults(query, input)).toEqual(['limit'])
    },
  )

  test.each([{ order: 'ASC' }, { order: '' }])('is not ordered by %o', (input) => {
    expect(faults(query, input)).toEqual(['order'])
  })

  test.each([{ cursor: '' }, { cursor: 'x'.repeat(4097) }, { cursor: 'a/b' }])('does not begin at %o', (input) => {
    expect(faults(query, input)).toEqual(['cursor'])
  })
})

describe('GetConnections', () => {
  const { query } = GetConnections.parameters

  test('filters by out-of-band id, state and their DID', () => {
    const filters = { outOfBandId: 'o', state: 'completed', theirDid: 'did:peer:4zQm:zAbc' }
    expect(v.parse(query, filters)).toEqual({ ...filters, limit: 1000, order: 'asc' })
  })

  test('refuses a state that does not exist, a DID that is none, an id that is none', () => {
    expect(faults(query, { outOfBandId: 'a/b', state: 'ready', theirDid: 'alice' })).toEqual([
      'outOfBandId',
      'state',
      'theirDid',
    ])
  })
})

describe('CreateTenant', () => {
  const { body } = CreateTenant

  test('takes a label, an image and an organization', () => {
    const input = { config: { label: 'Acme', connectionImageUrl: 'https://example.org/logo.png' }, orgId: 'acme' }
    expect(v.parse(body, input)).toEqual(input)
    expect(faults(body, { config: { label: 'Acme' } })).toEqual([])
  })

  test.each([
    [{}, ['config']],
    [{ config: {} }, ['config.label']],
    [{ config: { label: '' } }, ['config.label']],
    [{ config: { label: 'x'.repeat(256) } }, ['config.label']],
    [{ config: { label: 'a', connectionImageUrl: 'ftp://example.org/' } }, ['config.connectionImageUrl']],
    [{ config: { label: 'a', connectionImageUrl: 'https:// example.org/' } }, ['config.connectionImageUrl']],
    [{ config: { label: 'a' }, orgId: 'a b' }, ['orgId']],
    [{ config: { label: 'a', a: 1, b: 2 } }, ['config.a', 'config.b']],
  ])('refuses %o', (input, paths) => {
    expect(faults(body, input)).toEqual(paths)
  })
})

describe('registrations', () => {
  test('take an organization and an address', () => {
    expect(
      faults(RegisterNotificationWebhook.body, { orgId: 'acme', notificationWebhook: 'https://example.org/' }),
    ).toEqual([])
    expect(faults(RegisterWebhook.body, { webhookUrl: 'https://example.org/' })).toEqual([])
  })

  test('refuse what is no organization and no address', () => {
    const input = { orgId: 'a b', notificationWebhook: 'https://10.0.0.1/' }
    expect(faults(RegisterNotificationWebhook.body, input)).toEqual(['orgId', 'notificationWebhook'])
    expect(faults(RegisterWebhook.body, { webhookUrl: `https://example.org/${'x'.repeat(2048)}` })).toEqual([
      'webhookUrl',
    ])
    expect(faults(RegisterWebhook.body, {})).toEqual(['webhookUrl'])
  })

  test('follow the stage: these tests run as on the local one', () => {
    expect(faults(RegisterWebhook.body, { webhookUrl: 'http://127.0.0.1:3001/' })).toEqual([])
  })
})

describe('an envelope', () => {
  test('is a JSON object of whatever fields', () => {
    const envelope = { protected: 'a', iv: 'b', ciphertext: 'c', tag: 'd' }
    expect(v.parse(ReceiveDidcomm.body, envelope)).toEqual(envelope)
  })

  test.each([[[]], ['text'], [7], [null], [true]])('is not %o', (input) => {
    expect(faults(ReceiveDidcomm.body, input)).toHaveLength(1)
  })
})

describe('CreateRequest', () => {
  const { body } = CreateRequest
  const indy = { name: 'degree', version: '1.0', requested_attributes: { a: { name: 'degree' } } }
  const presentationExchange = { presentationDefinition: { id: 'd', input_descriptors: [{ id: 'i' }] } }
  const v1 = { protocolVersion: 'v1', proofFormats: { indy } }

  test("takes all of the document's fields, and accepts by content unless told otherwise", () => {
    const input = {
      protocolVersion: 'v2',
      proofFormats: { indy, anoncreds: indy, presentationExchange },
      goalCode: 'verify',
      parentThreadId: 'd734a876-e3ca-478c-901f-b447ad6b579f',
      willConfirm: true,
      comment: '',
      label: 'Acme',
      imageUrl: 'http://127.0.0.1:3001/logo.png',
      recipientKey: '8HH5gYEeNc3z7PYXmd54d4x6qAfCNrqQqEB3nS7Zfu7K',
      invitationDid: 'did:peer:2.Ez6LS.Vz6Mk.SeyJ0IjoiZG0ifQ',
    }
    expect(v.parse(body, input)).toEqual({ ...input, autoAcceptProof: 'contentApproved' })
  })

  test.each(['always', 'contentApproved', 'never'])('takes autoAcceptProof %s', (autoAcceptProof) => {
    expect(faults(body, { ...v1, autoAcceptProof })).toEqual([])
  })

  test.each([
    ['v1', { indy }],
    ['v2', { indy }],
    ['v2', { anoncreds: indy }],
    ['v2', { presentationExchange }],
    ['v2', { indy, presentationExchange }],
  ])('takes %s with formats %o', (protocolVersion, proofFormats) => {
    expect(faults(body, { protocolVersion, proofFormats })).toEqual([])
  })

  test.each([
    ['v1', {}],
    ['v1', { anoncreds: indy }],
    ['v1', { presentationExchange }],
    ['v1', { indy, anoncreds: indy }],
    ['v2', {}],
  ])('refuses %s with formats %o', (protocolVersion, proofFormats) => {
    expect(faults(body, { protocolVersion, proofFormats })).toEqual(['proofFormats'])
  })

  test.each<[object, string[]]>([
    [{ protocolVersion: 'v3' }, ['protocolVersion']],
    [{ protocolVersion: undefined }, ['protocolVersion']],
    [{ proofFormats: undefined }, ['proofFormats']],
    [{ proofFormats: { indy, jwt: {} } }, ['proofFormats.jwt', 'proofFormats']],
    [{ autoAcceptProof: 'sometimes' }, ['autoAcceptProof']],
    [{ willConfirm: 'yes' }, ['willConfirm']],
    [{ goalCode: '' }, ['goalCode']],
    [{ goalCode: 'x'.repeat(256) }, ['goalCode']],
    [{ label: 'x'.repeat(256) }, ['label']],
    [{ comment: 'x'.repeat(2001) }, ['comment']],
    [{ parentThreadId: 'short' }, ['parentThreadId']],
    [{ parentThreadId: `did:a:b${':'.repeat(60)}` }, ['parentThreadId']],
    [{ imageUrl: 'javascript:alert(1)' }, ['imageUrl']],
    [{ imageUrl: 'logo.png' }, ['imageUrl', 'imageUrl']],
    [{ recipientKey: '' }, ['recipientKey']],
    [{ invitationDid: 'me' }, ['invitationDid']],
    [{ invitationDid: 7 }, ['invitationDid']],
    [{ connectionId: 'c' }, ['connectionId']],
  ])('refuses %o', (changed, paths) => {
    const given = { ...v1, ...changed }
    for (const [key, value] of Object.entries(given)) if (value === undefined) Reflect.deleteProperty(given, key)
    const found = faults(body, given)
    expect(new Set(found)).toEqual(new Set(paths.includes('proofFormats.jwt') ? found : paths))
    expect(found.length).toBeGreaterThan(0)
  })
})

describe('an AnonCreds proof request', () => {
  const base = { name: 'degree', version: '1.0' }
  const attribute = { name: 'degree' }
  const predicate = { name: 'age', p_type: '>=', p_value: 18 }
  const request = (fields: object) => ({ protocolVersion: 'v1', proofFormats: { indy: { ...base, ...fields } } })
  const attributes = (given: unknown) => request({ requested_attributes: { a: given } })
  const predicates = (given: unknown) => request({ requested_predicates: { p: given } })
  const indyFaults = (input: object) =>
    faults(CreateRequest.body, input).map((path) => path.replace(/^proofFormats\.indy\.?/, ''))

  test.each([
    [attributes(attribute)],
    [attributes({ names: ['given', 'family'], non_revoked: { from: 0, to: 10 } })],
    [predicates(predicate)],
    [predicates({ ...predicate, p_type: '<', p_value: -2_147_483_648, non_revoked: {} })],
    [request({ requested_attributes: { a: attribute }, requested_predicates: {}, non_revoked: { to: 1 } })],
    [
      attributes({
        ...attribute,
        restrictions: [
          { schema_id: 's', schema_issuer_id: 'x', schema_issuer_did: 'x', schema_name: 'n', schema_version: '1' },
          { issuer_id: 'i', issuer_did: 'i', cred_def_id: 'c', rev_reg_id: 'r' },
          { 'attr::degree::marker': '1', 'attr::degree::value': 'BSc' },
          {},
        ],
      }),
    ],
  ])('may be %o', (input) => {
    expect(indyFaults(input)).toEqual([])
  })

  test.each<[string, object, string]>([
    [
      'without name',
      { protocolVersion: 'v1', proofFormats: { indy: { version: '1.0', requested_attributes: { a: attribute } } } },
      'name',
    ],
    ['with nothing requested', request({}), ''],
    ['with two empty groups', request({ requested_attributes: {}, requested_predicates: {} }), ''],
    ['with attributes in an array', request({ requested_attributes: [attribute] }), 'requested_attributes'],
    ['with neither name nor names', attributes({}), 'requested_attributes.a'],
    ['with both name and names', attributes({ name: 'a', names: ['b'] }), 'requested_attributes.a'],
    ['with empty names', attributes({ names: [] }), 'requested_attributes.a.names'],
    ['with names that are not strings', attributes({ names: [1] }), 'requested_attributes.a.names.0'],
    ['with an unknown field', attributes({ ...attribute, reveal: true }), 'requested_attributes.a.reveal'],
    [
      'with an unknown restriction',
      attributes({ ...attribute, restrictions: [{ color: 'red' }] }),
      'requested_attributes.a.restrictions.0.color',
    ],
    [
      'with a marker that is neither',
      attributes({ ...attribute, restrictions: [{ 'attr::a::marker': 'yes' }] }),
      'requested_attributes.a.restrictions.0',
    ],
    [
      'with a restriction that is no text',
      attributes({ ...attribute, restrictions: [{ schema_id: 1 }] }),
      'requested_attributes.a.restrictions.0.schema_id',
    ],
    [
      'with restrictions that are no list',
      attributes({ ...attribute, restrictions: {} }),
      'requested_attributes.a.restrictions',
    ],
    ['with an unknown predicate', predicates({ ...predicate, p_type: '=' }), 'requested_predicates.p.p_type'],
    ['with a fraction to compare with', predicates({ ...predicate, p_value: 1.5 }), 'requested_predicates.p.p_value'],
    [
      'with more than 32 bits to compare with',
      predicates({ ...predicate, p_value: 2_147_483_648 }),
      'requested_predicates.p.p_value',
    ],
    ['with text to compare with', predicates({ ...predicate, p_value: '18' }), 'requested_predicates.p.p_value'],
    [
      'with an interval that ends before it begins',
      request({ requested_attributes: { a: attribute }, non_revoked: { from: 2, to: 1 } }),
      'non_revoked',
    ],
    [
      'with an interval before time',
      request({ requested_attributes: { a: attribute }, non_revoked: { from: -1 } }),
      'non_revoked.from',
    ],
    [
      'with one name in both groups',
      request({ requested_attributes: { a: { name: 'age' } }, requested_predicates: { p: predicate } }),
      '',
    ],
    [
      'with one name in a group and a predicate',
      request({ requested_attributes: { a: { names: ['x', 'age'] } }, requested_predicates: { p: predicate } }),
      '',
    ],
    ['with a nonce, which is ours to make', request({ requested_attributes: { a: attribute }, nonce: '1' }), 'nonce'],
  ])('may not be %s', (_, input, path) => {
    expect(indyFaults(input)).toContain(path)
  })

  test('has a bounded number of attributes', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, attribute]))
    expect(indyFaults(request({ requested_attributes: many }))).toEqual(['requested_attributes'])
  })
})

describe('CreateOffer', () => {
  const { body } = CreateOffer
  const credential = {
    '@context': ['https://www.w3.org/2018/credentials/v1', { degree: 'https://example.org/degree' }],
    type: ['VerifiableCredential', 'DegreeCredential'],
    issuanceDate: '2026-11-20T00:00:00Z',
    credentialSubject: { id: 'did:key:z6Mk', degree: 'BSc' },
  }
  const options = { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' }
  const offer = (changed: object = {}, changedOptions: object = {}) => ({
    connectionId: 'c',
    protocolVersion: 'v2',
    credentialFormats: {
      jsonld: { credential: { ...credential, ...changed }, options: { ...options, ...changedOptions } },
    },
  })
  const offerFaults = (input: object) =>
    faults(body, input).map((path) => path.replace(/^credentialFormats\.jsonld\./, ''))

  test('gives the credential through as it came, terms of its contexts included', () => {
    const input = offer({ evidence: [{ type: ['X'] }], name: 'Degree' })
    expect(v.parse(body, input)).toEqual(input)
  })

  test.each([
    [{ issuer: 'did:key:z6Mk' }],
    [{ issuer: { id: 'did:key:z6Mk', name: 'Acme' } }],
    [{ id: 'urn:uuid:1' }],
    [{ issuanceDate: '2026-11-20T00:00:00.123+01:00', expirationDate: '2027-11-20T00:00:00Z' }],
    [{ credentialSubject: [{ id: 'did:key:z6Mk' }, { degree: 'BSc' }] }],
    [{ credentialStatus: { id: 'https://example.org/status/1', type: 'X' } }],
    [{ '@context': ['https://www.w3.org/2018/credentials/v1', 'https://example.org/context/v1'] }],
  ])('takes a credential with %o', (changed) => {
    expect(offerFaults(offer(changed))).toEqual([])
  })

  test.each<[object, string]>([
    [{ '@context': [] }, 'credential.@context'],
    [{ '@context': 'https://www.w3.org/2018/credentials/v1' }, 'credential.@context'],
    [{ '@context': [{}, 'https://www.w3.org/2018/credentials/v1'] }, 'credential.@context'],
    [{ '@context': ['https://www.w3.org/2018/credentials/v1', 7] }, 'credential.@context.1'],
    [{ '@context': ['https://www.w3.org/2018/credentials/v1', 'http://localhost/x'] }, 'credential.@context.1'],
    [{ type: ['DegreeCredential'] }, 'credential.type'],
    [{ type: 'VerifiableCredential' }, 'credential.type'],
    [{ issuer: 'Acme' }, 'credential.issuer'],
    [{ issuer: {} }, 'credential.issuer'],
    [{ issuanceDate: '2026-11-20' }, 'credential.issuanceDate'],
    [{ issuanceDate: '2026-13-20T00:00:00Z' }, 'credential.issuanceDate'],
    [{ issuanceDate: '2026-02-30T00:00:00Z' }, 'credential.issuanceDate'],
    [{ issuanceDate: '2026-11-20T24:00:00Z' }, 'credential.issuanceDate'],
    [{ issuanceDate: '2026-11-20T00:00Z' }, 'credential.issuanceDate'],
    [{ issuanceDate: 7 }, 'credential.issuanceDate'],
    [{ expirationDate: 'never' }, 'credential.expirationDate'],
    [{ credentialSubject: [] }, 'credential.credentialSubject'],
    [{ credentialSubject: 'me' }, 'credential.credentialSubject'],
    [{ credentialSubject: { id: 7 } }, 'credential.credentialSubject'],
    [{ credentialStatus: 'revoked' }, 'credential.credentialStatus'],
    [{ proof: {} }, 'credential.proof'],
  ])('refuses a credential with %o', (changed, path) => {
    const found = offerFaults(offer(changed))
    expect(found.some((fault) => fault.startsWith(path))).toBe(true)
  })

  test.each([
    [{ proofType: 'Ed25519Signature2020' }, 'options.proofType'],
    [{ proofPurpose: 'authentication' }, 'options.proofPurpose'],
    [{ challenge: 'x' }, 'options.challenge'],
  ])('refuses the options %o', (changed, path) => {
    expect(offerFaults(offer({}, changed))).toEqual([path])
  })

  test.each<[object, string]>([
    [{ connectionId: 'a/b' }, 'connectionId'],
    [{ protocolVersion: 'v1' }, 'protocolVersion'],
    [{ credentialFormats: {} }, 'credentialFormats.jsonld'],
    [{ autoAcceptCredential: 'maybe' }, 'autoAcceptCredential'],
    [{ comment: 'x'.repeat(2001) }, 'comment'],
    [{ more: 1 }, 'more'],
  ])('refuses %o', (changed, path) => {
    expect(faults(body, { ...offer(), ...changed })).toEqual([path])
  })
})
