/** DID documents in the API: all that DID Core allows in other agents' documents is valid. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { DidDocument } from '../../../lib/records/did.ts'

test.each([
  ['a service of several types', { type: ['DIDCommMessaging', 'Other'], serviceEndpoint: 'https://a.example' }],
  ['a service with several endpoints', { type: 'A', serviceEndpoint: ['https://a.example', { uri: 'didcomm:a' }] }],
  ['a service without either', {}],
])('%s', (_, service) => {
  expect(v.is(DidDocument, { id: 'did:web:a.example', service: [{ id: '#s', ...service }] })).toBe(true)
})
