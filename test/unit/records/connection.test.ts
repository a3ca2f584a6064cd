/** When the record of a handshake that another agent has begun expires. */
import { expect, test } from 'vitest'
import { OF_UNFINISHED_HANDSHAKE } from '../../../lib/records/handshake-expiry.ts'
import { connectionRecords, didRecords } from '../../../lib/records/kinds.ts'
import { PENDING_DID } from '../../../lib/records/record-json.ts'

const createdAt = '2026-11-20T17:39:53.318Z'
const AFTER_A_WEEK = Date.parse('2026-11-27T17:39:53Z') / 1000

const expiryOf = (role: string, state: string, before?: number) =>
  connectionRecords.expiry({ value: { id: 'c', createdAt, role, state }, tags: {} }, before)

test.each([
  ['request-received', AFTER_A_WEEK],
  ['response-sent', AFTER_A_WEEK],
  ['completed', undefined],
])('in the state %s of the responder: %s', (state, expiry) => {
  expect(expiryOf('responder', state, AFTER_A_WEEK)).toBe(expiry)
})

test('a handshake that this agent has begun never expires', () => {
  for (const state of ['request-sent', 'response-received']) expect(expiryOf('requester', state)).toBeUndefined()
})

test('a handshake that is abandoned before its completion keeps its expiry, and a connection never expires', () => {
  expect(expiryOf('responder', 'abandoned', AFTER_A_WEEK)).toBe(AFTER_A_WEEK)
  expect(expiryOf('responder', 'abandoned')).toBeUndefined()
})

test('the DID for a handshake expires a day later, because it may be created a little earlier', () => {
  const expiry = (tags: object) => didRecords.expiry({ value: { createdAt }, tags: { ...tags } })
  expect(expiry({ [OF_UNFINISHED_HANDSHAKE]: true })).toBe(AFTER_A_WEEK + 24 * 60 * 60)
  expect(expiry({})).toBeUndefined()
})

test('a connection is found by our DID and the keys of the DID to which the other agent rotates, unless it was abandoned', () => {
  const metadata = { [PENDING_DID]: { did: 'did:peer:4x', keyFingerprints: ['z6Mk'] } }
  const did = 'did:peer:4zQm:zLong'
  const found = ['completed', 'abandoned'].map((state) =>
    connectionRecords.indexes.rotating.of({ state, metadata, did }),
  )
  expect(found).toEqual([['z6Mk did:peer:4zQm'], []])
})
