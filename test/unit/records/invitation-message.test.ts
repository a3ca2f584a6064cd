/** Invitations of other agents are bounded: each service is resolved, and each key becomes an index entry. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { OutOfBandMessage } from '../../../lib/records/invitation-message.ts'

const KEY = `did:key:z6Mk${'a'.repeat(44)}`
const ENDPOINT = { serviceEndpoint: 'https://example.org', recipientKeys: [KEY] }
const invitation = {
  '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
  services: [ENDPOINT],
}

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
