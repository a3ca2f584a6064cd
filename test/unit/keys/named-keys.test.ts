/** Ids of the keys that DIDs name, also those of other agents. */
import { TypedArrayEncoder } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { keysIn } from '../../../lib/keys/named-keys.ts'

test.each([0, 1, 31, 32])('a key that begins with %i zeros is named by its bytes in base58', (zeros) => {
  const key = Array.from({ length: 32 }, (_, at) => (at < zeros ? 0 : 7 + at))
  const [fingerprint, id] = [Buffer.from([0xed, 0x01, ...key]), Buffer.from(key)].map(TypedArrayEncoder.toBase58)
  expect(keysIn([`did:key:z${fingerprint}#z${fingerprint}`])).toEqual([id, id])
  expect(keysIn([`did:peer:2.Vz${fingerprint}.Ez6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc`])).toEqual([id])
})
