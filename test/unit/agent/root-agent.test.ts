/** Credo's base58 takes what wallets send, and refuses at once what would take it seconds. */
import { DidKey, Kms, MultiBaseEncoder, TypedArrayEncoder } from '@credo-ts/core'
import { beforeAll, expect, test } from 'vitest'
import { boundBase58 } from '../../../lib/agent/root-agent.ts'
import { processorTime } from '../../support/processor-time.ts'

beforeAll(boundBase58)

const long = 'z'.repeat(200_000)

test('keys are converted as before', () => {
  const did = 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
  const { publicJwk } = DidKey.fromDid(did)
  expect(`did:key:${publicJwk.fingerprint}`).toBe(did)
  const verkey = publicJwk.legacyKeyId
  expect(MultiBaseEncoder.encode(TypedArrayEncoder.fromBase58(verkey), 'base58btc')).toBe(`z${verkey}`)
})

test('a document of 2,000 bytes in a DID is converted as before', () => {
  const document = new Uint8Array(2_000).fill(7)
  expect(MultiBaseEncoder.decode(MultiBaseEncoder.encode(document, 'base58btc')).data).toEqual(document)
})

test.each<[string, () => unknown]>([
  ['a verkey', () => TypedArrayEncoder.fromBase58(long)],
  ['a did:key', () => DidKey.fromDid(`did:key:${long}`)],
  ['a fingerprint', () => Kms.PublicJwk.fromFingerprint(long)],
  [
    'the fingerprint of a JWK',
    () => Kms.PublicJwk.fromUnknown({ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(200_000) }).fingerprint,
  ],
])('%s without end is refused at once', (_name, convert) => {
  const spent = processorTime()
  expect(convert).toThrow()
  expect(spent()).toBeLessThan(100)
})
