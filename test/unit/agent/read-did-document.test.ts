/** DID documents of other agents: members that are read, ignored, or an error. https://www.w3.org/TR/did-core/ */
import { Kms, TypedArrayEncoder } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { authenticationMethod, keysOf } from '../../../lib/agent/dids/their-services.ts'
import { readDidDocument, unreadableMember } from '../../../lib/agent/web/read-did-document.ts'
import { isKeyRevokedOrExpired } from '../../../lib/agent/web/time-limits.ts'
import { MAX_LINEAR_MS, processorTime } from '../../support/processor-time.ts'

const id = 'did:web:bank.example'
const FINGERPRINT = 'z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
const key = Kms.PublicJwk.fromFingerprint(FINGERPRINT)
if (!key.is(Kms.Ed25519PublicJwk)) throw new Error('not an Ed25519 key')
const base58 = TypedArrayEncoder.toBase58(key.publicKey.publicKey)

const method = { id: `${id}#key`, type: 'Multikey', publicKeyMultibase: FINGERPRINT }
const service = {
  ...{ id: '#didcomm', type: 'did-communication', serviceEndpoint: 'https://bank.example' },
  recipientKeys: [method.id],
}
const usual = {
  '@context': 'https://www.w3.org/ns/did/v1',
  ...{
    id,
    verificationMethod: [method],
    authentication: [method.id],
    assertionMethod: [method.id],
    service: [service],
  },
}
const UNKNOWN_KEY = { id: '#bls', type: 'Bls12381G2Key2020', controller: id, publicKeyBase58: 'x' }

test.each<[string, object]>([
  [
    'has objects in its context',
    { '@context': ['https://www.w3.org/ns/did/v1', { '@base': 'did:web:other.example' }] },
  ],
  ['has another context', { '@context': { '@vocab': 'https://other.example/#' } }],
  ['has no context', { '@context': undefined }],
  [
    'has null for what is absent',
    { alsoKnownAs: null, controller: null, keyAgreement: null, capabilityDelegation: null },
  ],
  [
    'has nulls in a method',
    { verificationMethod: [{ ...method, controller: null, publicKeyBase58: null, revoked: null }] },
  ],
  ['has null in a service', { service: [{ ...service, routingKeys: null, priority: null, accept: null }] }],
  ['has malformed members that no rule looks at', { alsoKnownAs: 5, controller: [{}], capabilityInvocation: 'all' }],
  ['has malformed key forms beside the one that counts', { verificationMethod: [{ ...method, publicKeyBase58: 5 }] }],
  [
    'has methods without an id, a type or a form',
    { verificationMethod: [null, 5, { id: '#a' }, { type: 'b' }, method] },
  ],
  ['has keys of unknown types', { verificationMethod: [UNKNOWN_KEY, method], keyAgreement: ['#bls', UNKNOWN_KEY, 5] }],
  ['refers to methods of other DIDs', { authentication: ['did:web:other.example#key', method.id, {}] }],
  ['embeds the method, and refers to it', { verificationMethod: null, authentication: [method] }],
  [
    'has other services',
    { service: [null, 5, { type: null }, { type: 'LinkedDomains', serviceEndpoint: null }, service] },
  ],
  ['has a service of several types', { service: [{ ...service, type: ['Other', 'did-communication'] }] }],
  [
    'has a service without an id, and with a malformed priority',
    { service: [{ ...service, id: 5, priority: 'high' }] },
  ],
  [
    'is for an IndyAgent',
    { service: [{ ...service, type: 'IndyAgent', recipientKeys: [base58] }], keyAgreement: [UNKNOWN_KEY] },
  ],
])('a document is read that %s', (_, members) => {
  const published = { ...usual, ...members }
  const { didDocument, ...rest } = readDidDocument(published)
  expect(rest.published).toBe(published)
  expect(authenticationMethod(didDocument, key)).toMatchObject({ id: method.id, controller: id })
  expect(didDocument.dereferenceKey(method.id, ['assertionMethod']).controller).toBe(id)
  expect(keysOf(didDocument)).toEqual([FINGERPRINT])
  expect(unreadableMember(didDocument)).toBeUndefined()
})

test.each<[string, object]>([
  ['service', { service: { ...service } }],
  ['service.1.recipientKeys', { service: [service, { ...service, recipientKeys: [method.id, null] }] }],
  ['service.0.recipientKeys', { service: [{ ...service, recipientKeys: [] }, service] }],
])('where %s cannot be read, no key of a service is, and signatures are verified', (member, members) => {
  const hidden = {
    id: `the member ${member} of the DID document cannot be read`,
    type: 'Multikey',
    publicKeyMultibase: FINGERPRINT,
  }
  const { didDocument } = readDidDocument({ ...usual, ...members, keyAgreement: [hidden] })
  expect(unreadableMember(didDocument)).toBe(member)
  expect(() => didDocument.recipientKeys).toThrow(hidden.id)
  expect(didDocument.dereferenceKey(method.id, ['assertionMethod'])).toMatchObject(method)
})

test.each<[string, object]>([
  ['service.0.serviceEndpoint', { serviceEndpoint: { uri: 'https://bank.example' } }],
  ['service.0.routingKeys', { routingKeys: 'none' }],
])('where %s cannot be read, the keys of the service are', (member, members) => {
  const { didDocument } = readDidDocument({ ...usual, service: [{ ...service, ...members }] })
  expect(unreadableMember(didDocument)).toBe(member)
  expect(keysOf(didDocument)).toEqual([FINGERPRINT])
})

test.each<[string, unknown]>([
  ['id', { ...usual, id: undefined }],
  ['id', { ...usual, id: { '@id': id } }],
  ['verificationMethod', { ...usual, verificationMethod: method }],
  ['authentication', { ...usual, authentication: method.id }],
  ['assertionMethod', { ...usual, assertionMethod: {} }],
  ['keyAgreement', { ...usual, keyAgreement: 5 }],
])('a document cannot be read because of its %s', (member, document) => {
  expect(() => readDidDocument(document)).toThrow(expect.objectContaining({ member }))
})

test('the controller of a key, its revocation and its expiry are unchanged', () => {
  const foreign = { ...method, controller: 'did:web:other.example', expires: '2020-01-01T00:00:00Z' }
  const { didDocument } = readDidDocument({ ...usual, verificationMethod: [foreign] })
  const read = didDocument.dereferenceKey(method.id)
  expect([read.controller, isKeyRevokedOrExpired(read)]).toEqual([foreign.controller, true])
  const several = { ...usual, verificationMethod: [{ ...method, controller: [id] }] }
  expect(() => readDidDocument(several).didDocument.dereferenceKey(method.id)).toThrow()
})

test('what is not read may be large', () => {
  const domains = Array(1_000).fill({ id: '#d', type: 'LinkedDomains', serviceEndpoint: `data:${'a'.repeat(10_000)}` })
  expect(keysOf(readDidDocument({ ...usual, service: [...domains, service] }).didDocument)).toEqual([FINGERPRINT])
  for (const large of [{ verificationMethod: Array(600).fill(method) }, { keyAgreement: Array(20_000).fill('#a') }])
    expect(() => readDidDocument({ ...usual, ...large })).toThrow('too large')
})

test('many methods and references are read in linear time', () => {
  const verificationMethod = Array.from({ length: 490 }, (_, index) => ({ ...method, id: `#${index}` }))
  const spent = processorTime()
  readDidDocument({ ...usual, verificationMethod, authentication: Array(18_000).fill('#489') })
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})
