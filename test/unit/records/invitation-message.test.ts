/** Invitations of other agents are bounded: each service is resolved, and each key becomes an index entry. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import {
  ConnectionMessage,
  InvitationMessage,
  OutOfBandMessage,
  ServiceMessage,
} from '../../../lib/records/invitation-message.ts'

const KEY = `did:key:z6Mk${'a'.repeat(44)}`
const ENDPOINT = { serviceEndpoint: 'https://example.org', recipientKeys: [KEY] }
const invitation = {
  '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
  services: [ENDPOINT],
}

const older = { '@type': 'https://didcomm.org/connections/1.0/invitation', ...ENDPOINT }

const list = (of: unknown) => (length: number) => Array(length).fill(of)
const services = (name: string) => (length: number) => [{ ...ENDPOINT, [name]: list(KEY)(length) }]

test.each<[string, number, (length: number) => object]>([
  ['services', 8, (length) => ({ services: list(ENDPOINT)(length) })],
  ['recipient keys', 4, (length) => ({ services: services('recipientKeys')(length) })],
  ['routing keys', 8, (length) => ({ services: services('routingKeys')(length) })],
  ['requests', 8, (length) => ({ 'requests~attach': list({ data: {} })(length) })],
  ['handshake protocols', 16, (length) => ({ handshake_protocols: list('x')(length) })],
])('an invitation has at most so many %s: %i', (_, max, having) => {
  const isValid = (length: number) => v.is(OutOfBandMessage, { ...invitation, ...having(length) })
  expect([isValid(max), isValid(max + 1)]).toEqual([true, false])
})

test.each<[string, number, (length: number) => object]>([
  ['recipient keys', 4, (length) => ({ recipientKeys: list(KEY)(length) })],
  ['routing keys', 8, (length) => ({ routingKeys: list(KEY)(length) })],
])('one of connections/1.0 has at most so many %s: %i', (_, max, having) => {
  const isValid = (length: number) => v.is(ConnectionMessage, { ...older, ...having(length) })
  expect([isValid(max), isValid(max + 1)]).toEqual([true, false])
})

test.each([
  ['label', 1_000],
  ['imageUrl', 100_000],
])('the %s of either has at most so many characters: %i', (name, max) => {
  for (const [schema, message] of [[OutOfBandMessage, invitation] as const, [ConnectionMessage, older] as const]) {
    const isValid = (length: number) => v.is(schema, { ...message, [name]: 'x'.repeat(length) })
    expect([isValid(max), isValid(max + 1)]).toEqual([true, false])
  }
})

test('has a type with either prefix of message types, and no similar one', () => {
  const isValid = (prefix: string) =>
    v.is(OutOfBandMessage, { ...invitation, '@type': `${prefix}/out-of-band/1.1/invitation` })
  for (const prefix of ['https://didcomm.org', 'did:sov:BzCbsNYhMrjHiqZDTUASHg;spec'])
    expect(isValid(prefix)).toBe(true)
  for (const prefix of ['https://didcomm-org', 'http://didcomm.org', '']) expect(isValid(prefix)).toBe(false)
})

const NAMES = ['label', 'imageUrl', 'goal', 'goal_code', 'goalCode', 'accept', 'handshake_protocols', 'requests~attach']
const nulls = (...names: string[]) => Object.fromEntries(names.map((name) => [name, null]))
const content = { credential: { degree: null } }
const attached = {
  '@id': null,
  'mime-type': null,
  description: null,
  data: { base64: null, links: null, json: content },
}

test.each<[string, v.GenericSchema, object, object]>([
  ['an invitation', InvitationMessage, { ...invitation, ...nulls('@id', ...NAMES) }, invitation],
  [
    'its services and attachments',
    InvitationMessage,
    {
      ...invitation,
      services: [{ ...ENDPOINT, ...nulls('id', 'type', 'routingKeys', 'accept', 'priority') }],
      'requests~attach': [attached],
    },
    { ...invitation, 'requests~attach': [{ data: { json: content } }] },
  ],
  ['one of connections/1.0', InvitationMessage, { ...older, ...nulls('@id', 'did', 'routingKeys', ...NAMES) }, older],
  [
    'one of connections/1.0 by a DID',
    InvitationMessage,
    { '@type': older['@type'], did: 'did:example:a', ...nulls('serviceEndpoint', 'recipientKeys', 'label') },
    { '@type': older['@type'], did: 'did:example:a' },
  ],
  [
    'a request',
    ServiceMessage,
    {
      '@type': 'x',
      '@id': 'message-1',
      '~service': { ...ENDPOINT, routingKeys: null },
      ...nulls('~thread', 'comment'),
    },
    { '@type': 'x', '@id': 'message-1', '~service': ENDPOINT },
  ],
])('null counts as an absent optional member, except in an attached document: %s', (_, schema, withNulls, without) => {
  expect(v.parse(schema, withNulls)).toEqual(v.parse(schema, structuredClone(without)))
})

test.each(['@type', 'services'])('null is not the required %s', (name) => {
  expect(v.safeParse(InvitationMessage, { ...invitation, [name]: null }).success).toBe(false)
})

test('an unreadable service is ignored beside a readable one, and rejected alone', () => {
  const other = { id: '#v2', type: 'DIDCommMessaging', serviceEndpoint: { uri: 'https://example.org' } }
  expect(v.parse(OutOfBandMessage, { ...invitation, services: [other, 'did:example:a'] }).services).toEqual([
    undefined,
    'did:example:a',
  ])
  expect(v.is(OutOfBandMessage, { ...invitation, services: [other] })).toBe(false)
})
