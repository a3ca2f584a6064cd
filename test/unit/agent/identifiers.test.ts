/** Which identifiers are too long to be handed to Credo. */
import { describe, expect, test } from 'vitest'
import { hasLongIdentifier } from '../../../lib/agent/identifiers.ts'

const long = 'a'.repeat(4097)
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

test.each<[string, unknown]>([
  ['the DID of a handshake request', { did: long }],
  ['the DID of a rotation', { to_did: long }],
  ['a key in a document', { connection: { DIDDoc: { publicKey: [{ publicKeyBase58: long }] } } }],
  ['one of several recipient keys', { '~service': { recipientKeys: ['a', long] } }],
  ['an endpoint', { service: [{ serviceEndpoint: long }] }],
  ['the id of a revoked credential', { credential_id: long }],
  ['the holder of an attached presentation', { 'presentations~attach': [{ data: { json: { holder: long } } }] }],
  ['the same in base64', { 'presentations~attach': [{ data: { base64: base64({ holder: long }) } }] }],
  ['base64 in base64', { data: { base64: base64({ base64: base64({ id: long }) }) } }],
  ['a list of routing keys', { '~service': { routingKeys: Array(17).fill('a') } }],
  ['that of recipient keys in a document', { service: [{ recipientKeys: Array(17).fill('#key') }] }],
])('%s can be too long', (_, message) => {
  expect(hasLongIdentifier(message)).toBe(true)
})

describe('nothing is too long about', () => {
  test.each<[string, unknown]>([
    ['a long text', { content: 'a'.repeat(100_000) }],
    ['a picture among the claims', { credentialSubject: { id: 'did:example:1', photo: 'a'.repeat(100_000) } }],
    ['an attachment that is no JSON', { data: { base64: 'a'.repeat(100_000) } }],
    ['a did:peer:4 of usual length', { did: `did:peer:4zQm${'a'.repeat(1500)}` }],
    ['numbers, lists and nothing', { id: 5, did: null, kid: [[1], {}] }],
    ['as many keys as a service may have', { recipientKeys: Array(16).fill('a'), routingKeys: Array(16).fill('a') }],
    ['a text by itself', 'a'.repeat(100_000)],
  ])('%s', (_, message) => {
    expect(hasLongIdentifier(message)).toBe(false)
  })
})
