/** Verkeys: which texts are Ed25519 keys in base58. */
import { TypedArrayEncoder } from '@credo-ts/core'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { Verkey } from '../../../../lib/agent/keys/ed25519-key.ts'
import { MAX_LINEAR_MS, processorTime } from '../../../support/processor-time.ts'

const ofBytes = (count: number, byte = 255) => TypedArrayEncoder.toBase58(new Uint8Array(count).fill(byte))

test.each([0, 1, 255])('32 bytes of %i are one', (byte) => {
  expect(v.is(Verkey, ofBytes(32, byte))).toBe(true)
})

test.each([
  ['31 bytes', ofBytes(31)],
  ['33 bytes', ofBytes(33)],
  ['33 bytes in as many characters as a key may have', ofBytes(33, 0)],
  ['nothing', ''],
  ['what is not base58', '0'.repeat(44)],
])('%s is invalid', (_, text) => {
  expect(v.is(Verkey, text)).toBe(false)
})

test('a long text is rejected immediately', () => {
  const spent = processorTime()
  expect(v.is(Verkey, 'z'.repeat(200_000))).toBe(false)
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})
