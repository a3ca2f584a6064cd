/** What Credo's validators must not be given. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  assertReadable,
  hasUnreadableText,
  isReadableDocument,
} from '../../../../lib/agent/envelopes/readable-message.ts'
import { isNestedDeeperThan, MAX_DEPTH, parseBase64 } from '../../../../lib/json.ts'
import { MAX_LINEAR_MS, processorTime } from '../../../support/processor-time.ts'

const message = {
  '@type': 'https://didcomm.org/basicmessage/1.0/message',
  '@id': '8a1d1c1e-7a5c-4f57-9a1b-3a0f9c5b8d11',
}
const threaded = (thid: string) => ({ ...message, '~thread': { thid } })

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

/** A request for a connection with a DID document (Aries RFC 0023). */
const introducing = (document: unknown) => ({
  ...message,
  'did_doc~attach': { '@id': 'a', data: { base64: base64(document) } },
})

/** A message with an attachment that holds this. */
const attaching = (json: unknown) => ({ ...message, 'presentations~attach': [{ '@id': 'a', data: { json } }] })

const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) })

describe('a message is readable', () => {
  test.each([
    ['without a thread', message],
    ['in a thread with a UUID', threaded('2f9d2f3c-4a45-43f5-9d0a-1f6b1d4f6a0e')],
    [
      'in a thread that is named by a did:peer',
      { ...message, '~thread': { pthid: `did:peer:4zQm${'a'.repeat(40)}:z${'b'.repeat(900)}` } },
    ],
    ['in a thread that is named by a did:web with a port', threaded('did:web:example.com%3A8443:agents:one#key-1')],
    ['with a document that is nested 32 levels deep', attaching(nested(32))],
    ['with a document of 5,000 objects', attaching(new Array(5_000).fill({ a: 1 }))],
    ['with a document that has a field named constructor', attaching({ constructor: 'ACME' })],
    ['with 100 features of the sender', { ...message, disclosures: new Array(100).fill({ id: 'x', roles: [] }) }],
    ['with the DID document of its sender', introducing({ id: 'did:x:y', authentication: ['#1'] })],
    ['with a type of 256 characters', { ...message, '@type': `${message['@type']}${'a'.repeat(212)}` }],
    ['with an id of 256 characters', { ...message, '@id': 'a'.repeat(256) }],
    ['with a label of 1,000 characters', { ...message, label: 'x'.repeat(1_000) }],
    ['with a content of 100,000 characters', { ...message, content: 'x'.repeat(100_000) }],
    ['that is nested 40 levels deep', { ...message, a: nested(39) }],
    ['of 500 objects and lists', { ...message, a: new Array(498).fill({}) }],
  ])('%s', (_name, readable) => {
    expect(() => assertReadable(readable)).not.toThrow()
  })
})

test('a byte order mark before JSON in base64 is dropped, except before signed data and data that is not JSON', () => {
  const attached = [{}, { jws: {} }, {}].map((more, index) => {
    const text = index === 2 ? 'text' : '{}'
    return { data: { base64: Buffer.from(`\uFEFF${text}`).toString('base64'), ...more } }
  })
  const received = { ...message, 'files~attach': structuredClone(attached) }
  assertReadable(received)
  const dropped = { data: { base64: Buffer.from('{}').toString('base64') } }
  expect(received['files~attach']).toEqual([dropped, ...attached.slice(1)])
})

test('members that are null are removed, except from lists and attached documents', () => {
  const received = { ...attaching({ a: null }), a: null, b: { c: null, d: [null, { e: null }] } }
  assertReadable(received)
  expect(received).toEqual({ ...attaching({ a: null }), b: { d: [null, {}] } })
})

test.each([
  [
    'offers',
    { credential: { degree: null }, options: { proofType: 'x', domain: null } },
    { credential: { degree: null }, options: { proofType: 'x' } },
  ],
  [
    'request_presentations',
    { definition: { name: null, fields: [{ id: null, filter: { const: null } }] } },
    { definition: { fields: [{ filter: { const: null } }] } },
  ],
  ['presentations', { a: null }, { a: null }],
  ['credentials', { a: null }, { a: null }],
])(
  'of attached %s members that are null and have no meaning are removed, in both forms',
  (name, attached, expected) => {
    const both = (json: unknown) => [{ data: { json } }, { data: { base64: base64(json) } }]
    const received = { ...message, [`${name}~attach`]: both(structuredClone(attached)) }
    assertReadable(received)
    expect(received).toEqual({ ...message, [`${name}~attach`]: both(expected) })
  },
)

test.each([
  ['is signed', { base64: base64({ a: null }), jws: {} }],
  ['has a number that would become null', { base64: Buffer.from('{"a":null,"b":1e999}').toString('base64') }],
])('an attachment that %s is unchanged', (_, data) => {
  const received = { ...message, 'offers~attach': [{ data: { ...data } }] }
  assertReadable(received)
  expect(received['offers~attach']).toEqual([{ data }])
})

test.each([
  ['is small', { id: 'did:x:y', authentication: ['#1'] }, true],
  ['has 600 keys', { id: 'did:x:y', verificationMethod: new Array(600).fill({}) }, false],
  ['has an id that is too long', { id: `did:x:${'y'.repeat(4_096)}` }, false],
])('whether Credo may read a DID document that %s', (_name, document, readable) => {
  expect(isReadableDocument(document)).toBe(readable)
})

const attachedInBase64 = (value: unknown) => ({
  ...message,
  'presentations~attach': [{ data: { base64: base64(value) } }],
})

describe('an attached document that libraries must not read', () => {
  const documents: [string, unknown][] = [
    ['of 33 levels', nested(32)],
    ['of 90,000 levels', JSON.parse(`${'['.repeat(90_000)}${']'.repeat(90_000)}`)],
    ['of more than 20,000 values', new Array(20_001).fill(0)],
  ]
  test.each(documents)('%s is replaced by a short one that is nested too deep as well', (_name, document) => {
    const received = attaching(document)
    assertReadable(received)
    const [attached] = received['presentations~attach']
    expect(isNestedDeeperThan(attached?.data.json, MAX_DEPTH)).toBe(true)
    expect(JSON.stringify(received).length).toBeLessThan(1_000)
  })

  // Its text is written by hand: JSON.stringify has an end.
  test.each([
    ['of 41 levels', `${'['.repeat(41)}${']'.repeat(41)}`],
    ['of 5,000 levels', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['of more than 20,000 values', JSON.stringify(new Array(20_001).fill(0))],
  ])('%s is replaced in base64 too', (_name, text) => {
    const data = { base64: Buffer.from(text).toString('base64') }
    const received = { ...message, 'offers~attach': [{ data }] }
    assertReadable(received)
    expect(isNestedDeeperThan(parseBase64(data.base64), MAX_DEPTH)).toBe(true)
    expect(JSON.stringify(received).length).toBeLessThan(1_000)
  })

  test('of 32 levels is left unchanged', () => {
    for (const attached of [attaching, attachedInBase64]) {
      const received = attached(nested(31))
      assertReadable(received)
      expect(received).toEqual(attached(nested(31)))
    }
  })

  test('of 32 levels is left in a message that is attached', () => {
    const received = attachedInBase64(attaching(nested(31)))
    assertReadable(received)
    expect(received).toEqual(attachedInBase64(attaching(nested(31))))
  })
})

describe('a message is not readable', () => {
  test.each([
    ['without a type', { '@id': message['@id'] }],
    ['without an id', { '@type': message['@type'] }],
    ['with a type without end', { ...message, '@type': 'a'.repeat(100_000) }],
    ['with a type of 257 characters', { ...message, '@type': `${message['@type']}${'a'.repeat(213)}` }],
    ['with an id of 257 characters', { ...message, '@id': 'a'.repeat(257) }],
    ['with a label of 1,001 characters', { ...message, label: 'x'.repeat(1_001) }],
    ['with a signature type that is too long', { ...message, 'connection~sig': { '@type': 'a'.repeat(100_000) } }],
    ['in a thread whose name is not text', { ...message, '~thread': { thid: 1 } }],
    ['in a parent thread whose name is not text', { ...message, '~thread': { pthid: 1 } }],
    [
      'with a return route thread that is too long',
      { ...message, '~transport': { return_route: 'thread', return_route_thread: 'a'.repeat(100_000) } },
    ],
    ['with a text that is not Unicode', { ...message, content: '\ud800' }],
    ['with such a text in an attachment in base64', attachedInBase64({ raw: ['\ud800'] })],
    ['with such a name in one', attachedInBase64({ '\udc00': 1 })],
    ['with a field that names a prototype', { ...message, a: JSON.parse('{"__proto__":1}') }],
    ['that is nested 41 levels deep', { ...message, a: nested(40) }],
    ['of 501 objects and lists', { ...message, a: new Array(499).fill({}) }],
    ['nested without end', JSON.parse(`${'['.repeat(90_000)}${']'.repeat(90_000)}`)],
    ['of more than 20,000 values', { ...message, a: new Array(20_001).fill(0) }],
    ['with 600 attachments', { ...message, 'presentations~attach': new Array(600).fill({}) }],
    ['with a DID document of 600 keys', introducing({ verificationMethod: new Array(600).fill({}) })],
    ['with 600 lists', { ...message, a: new Array(600).fill([]) }],
    ['that is a list', []],
    ['that is nothing', null],
  ])('%s', (_name, unreadable) => {
    expect(() => assertReadable(unreadable)).toThrow()
  })
})

test('a thread id that takes Credo exponential time is rejected immediately', () => {
  const spent = processorTime()
  for (const colons of [28, 1_000, 4_000])
    expect(() => assertReadable(threaded(`did:a:b${':'.repeat(colons)}\n`))).toThrow()
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})

test('no thread id takes long to be judged', () => {
  const letters = fc.array(fc.constantFrom('did:', 'a', ':', '%3A', '%', '?', '#', '/', '\n', '~'), {
    maxLength: 1_500,
  })
  fc.assert(
    fc.property(letters, (parts) => {
      const spent = processorTime()
      try {
        assertReadable(threaded(`did:a:${parts.join('')}`))
      } catch {
        // Whether it is rejected or accepted does not matter, only the time.
      }
      return spent() < MAX_LINEAR_MS
    }),
    { numRuns: 500 },
  )
})

const longIdentifier = 'a'.repeat(4097)

test.each<[string, unknown]>([
  ['the DID of a handshake request', { did: longIdentifier }],
  ['the DID of a rotation', { to_did: longIdentifier }],
  ['a key in a document', { connection: { DIDDoc: { publicKey: [{ publicKeyBase58: longIdentifier }] } } }],
  ['a key in base58', { publicKeyBase58: 'a'.repeat(1025) }],
  ['a key in multibase', { publicKeyMultibase: 'z'.repeat(1025) }],
  ['a recipient key in base58', { recipientKeys: ['a'.repeat(1025)] }],
  [
    'a signature in multibase',
    { 'presentations~attach': [{ data: { json: { proof: { proofValue: 'z'.repeat(1025) } } } }] },
  ],
  ['a number of a JWK', { verificationMethod: [{ publicKeyJwk: { kty: 'RSA', n: 'a'.repeat(1025) } }] }],
  ['that of the key of a signature', { jws: { header: { jwk: { kty: 'OKP', x: 'a'.repeat(1025) } } } }],
  ['one of several recipient keys', { '~service': { recipientKeys: ['a', longIdentifier] } }],
  ['an endpoint', { service: [{ serviceEndpoint: longIdentifier }] }],
  ['the id of a revoked credential', { credential_id: longIdentifier }],
  [
    'the holder of an attached presentation',
    { 'presentations~attach': [{ data: { json: { holder: longIdentifier } } }] },
  ],
  ['the same in base64', { 'presentations~attach': [{ data: { base64: base64({ holder: longIdentifier }) } }] }],
  ['base64 in base64', { data: { base64: base64({ base64: base64({ id: longIdentifier }) }) } }],
  ['a list of routing keys', { '~service': { routingKeys: Array(17).fill('a') } }],
  ['that of recipient keys in a document', { service: [{ recipientKeys: Array(17).fill('#key') }] }],
])('%s can be too long', (_, message) => {
  expect(hasUnreadableText(message)).toBe(true)
})

describe('Credo matches or converts each of these, so none may be long:', () => {
  const identifiers = [
    ...['id', '@id', 'did', 'DID', 'to_did', 'kid', 'controller', 'holder', 'issuer', 'verificationMethod'],
    ...['serviceEndpoint', 'uri', 'thread_id', 'credential_id', 'cred_def_id', 'schema_id', 'rev_reg_id'],
    ...['recipientKeys', 'routingKeys'],
  ]
  test.each(identifiers)('the identifier %s has at most 4,096 characters', (name) => {
    const lengths = [4096, 4097].map((length) => hasUnreadableText({ [name]: [`did:x:${'a'.repeat(length - 6)}`] }))
    expect(lengths).toEqual([false, true])
  })

  const keys = ['publicKeyBase58', 'publicKeyMultibase', 'recipient_key', 'signer', 'proofValue']
  test.each([...keys, 'recipientKeys', 'routingKeys'])('the key %s has at most 1,024 characters', (name) => {
    expect([1024, 1025].map((length) => hasUnreadableText({ [name]: 'z'.repeat(length) }))).toEqual([false, true])
  })

  const numbers = ['publicKeyJwk', 'jwk'].flatMap((jwk) => ['n', 'e', 'x', 'y'].map((name) => [jwk, name] as const))
  test.each(numbers)('the number of a %s, %s, has at most 1,024 characters', (jwk, name) => {
    const lengths = [1024, 1025].map((length) => hasUnreadableText({ [jwk]: { [name]: 'A'.repeat(length) } }))
    expect(lengths).toEqual([false, true])
  })
})

test.each<[string, (data: { base64: string }) => object]>([
  [
    'one of several attachments',
    (data) => ({
      'presentations~attach': [
        { '@id': 'a', data: { json: 1 } },
        { '@id': 'b', data },
      ],
    }),
  ],
  ['a DID document', (data) => ({ 'did_doc~attach': { '@id': 'a', data } })],
])('base64url in %s, as Credo 0.7 sends it, becomes the base64 that it reads', (_, attachingIt) => {
  const content = { id: 'did:x:y', text: '??>>~~' }
  const text = Buffer.from(JSON.stringify(content))
  const [standard, url] = [text.toString('base64'), text.toString('base64url')]
  expect(url).not.toBe(standard)
  for (const base64 of [standard, url, standard.replaceAll('=', '')]) {
    const received = { ...message, ...attachingIt({ base64 }) }
    assertReadable(received)
    expect(received).toEqual({ ...message, ...attachingIt({ base64: standard }) })
  }
})

describe('nothing is too long about', () => {
  test.each<[string, unknown]>([
    ['a long text', { content: 'a'.repeat(100_000) }],
    ['a picture among the claims', { credentialSubject: { id: 'did:example:1', photo: 'a'.repeat(100_000) } }],
    ['an attachment that is not JSON', { data: { base64: 'a'.repeat(100_000) } }],
    ['a did:peer:4 of usual length', { did: `did:peer:4zQm${'a'.repeat(1500)}` }],
    ['numbers, lists and nothing', { id: 5, did: null, kid: [[1], {}] }],
    ['as many keys as a service may have', { recipientKeys: Array(16).fill('a'), routingKeys: Array(16).fill('a') }],
    ['a number that is not a key', { credentialSubject: { n: 'a'.repeat(5_000), x: 'a'.repeat(5_000) } }],
    [
      'an RSA key of 4,096 bits with its certificates',
      { publicKeyJwk: { n: 'a'.repeat(683), x5c: ['a'.repeat(2_000)] } },
    ],
    ['a recipient key that is a DID URL', { recipientKeys: [`did:peer:4zQm${'a'.repeat(1500)}#key-1`] }],
    ['a proof of AnonCreds in the form of W3C, in base64url', { proof: { proofValue: `u${'a'.repeat(3_500)}` } }],
    ['a text by itself', 'a'.repeat(100_000)],
    ['whole characters of two units', { data: { base64: base64({ '😀': '😀' }) } }],
  ])('%s', (_, message) => {
    expect(hasUnreadableText(message)).toBe(false)
  })
})
