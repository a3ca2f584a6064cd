/** Signatures as Credo asks for them, against libsodium, and what is rejected. */
import { randomBytes } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { KeyManagementService } from '../../../../lib/agent/keys/key-management-service.ts'
import { MemoryKeyStore } from '../../../wallet/memory-key-store.ts'
import { acme, b64, ed25519, hello, service } from './fixtures.ts'
import { sodium } from './libsodium.ts'

const withKey = async (jwk: Kms.KmsJwkPrivate) => {
  const store = new MemoryKeyStore()
  await store.insert(acme, 'known', jwk)
  return { kms: new KeyManagementService(store), keyId: 'known' }
}

describe('signatures', () => {
  // The second is its name in RFC 9864.
  test.each(['EdDSA', 'Ed25519'] as const)('by Ed25519 are those of libsodium: %s', async (algorithm) => {
    const seed = randomBytes(32)
    const pair = sodium.crypto_sign_seed_keypair(seed)
    const { kms, keyId } = await withKey({ ...ed25519, x: b64(pair.publicKey), d: b64(seed) })
    const { signature } = await kms.sign(acme, { keyId, algorithm, data: hello })
    expect(b64(signature)).toBe(b64(sodium.crypto_sign_detached(hello, pair.privateKey)))
    expect(sodium.crypto_sign_verify_detached(signature, hello, pair.publicKey)).toBe(true)
  })

  test.each([{ crv: 'P-256', algorithm: 'ES256' } as const, { crv: 'secp256k1', algorithm: 'ES256K' } as const])(
    'by $crv have the 64 bytes of $algorithm and verify',
    async ({ crv, algorithm }) => {
      const kms = service()
      const { keyId, publicJwk } = await kms.createKey(acme, { type: { kty: 'EC', crv } })
      const { signature } = await kms.sign(acme, { keyId, algorithm, data: hello })
      expect(signature).toHaveLength(64)
      expect(await kms.verify(acme, { key: { publicJwk }, algorithm, data: hello, signature })).toMatchObject({
        verified: true,
      })
      expect(await kms.verify(acme, { key: { keyId }, algorithm, data: hello, signature })).toStrictEqual({
        verified: true,
        publicJwk,
      })
    },
  )

  test('do not verify over other content, by another key or cut short', async () => {
    const kms = service()
    const { keyId } = await kms.createKey(acme, { type: ed25519 })
    const other = await kms.createKey(acme, { type: ed25519 })
    const { signature } = await kms.sign(acme, { keyId, algorithm: 'EdDSA', data: hello })
    const verify = (key: string, data: Uint8Array, bytesOfIt: Uint8Array) =>
      kms.verify(acme, { key: { keyId: key }, algorithm: 'EdDSA', data, signature: bytesOfIt })
    expect(await verify(keyId, hello, signature)).toMatchObject({ verified: true })
    expect(await verify(keyId, hello.subarray(1), signature)).toStrictEqual({ verified: false })
    expect(await verify(other.keyId, hello, signature)).toStrictEqual({ verified: false })
    expect(await verify(keyId, hello, signature.subarray(1))).toStrictEqual({ verified: false })
  })

  test('are rejected with a key of another algorithm', async () => {
    const kms = service()
    const { keyId } = await kms.createKey(acme, { type: ed25519 })
    await expect(kms.sign(acme, { keyId, algorithm: 'ES256', data: hello })).rejects.toThrow(Kms.KeyManagementError)
    const options = { algorithm: 'HS256', data: hello } as const
    for (const refused of [
      kms.sign(acme, { keyId, ...options }),
      kms.verify(acme, { key: { keyId }, signature: hello, ...options }),
    ])
      await expect(refused).rejects.toThrow(Kms.KeyManagementAlgorithmNotSupportedError)
    const { keyId: onP256 } = await kms.createKey(acme, { type: { kty: 'EC', crv: 'P-256' } })
    const { signature } = await kms.sign(acme, { keyId: onP256, algorithm: 'ES256', data: hello })
    const verified = kms.verify(acme, { key: { keyId: onP256 }, algorithm: 'ES256K', data: hello, signature })
    await expect(verified).rejects.toThrow(Kms.KeyManagementError)
  })

  test.each([{ use: 'enc' }, { key_ops: ['deriveKey'] }])(
    'are rejected with a key that is for something else: %j',
    async (more) => {
      const seed = randomBytes(32)
      const { privateKey, publicKey } = sodium.crypto_sign_seed_keypair(seed)
      const publicJwk = { ...ed25519, x: b64(publicKey), ...more } as Kms.KmsJwkPublicOkp
      const { kms, keyId } = await withKey({ ...publicJwk, d: b64(seed) })
      const signature = sodium.crypto_sign_detached(hello, privateKey)
      for (const refused of [
        kms.sign(acme, { keyId, algorithm: 'EdDSA', data: hello }),
        kms.verify(acme, { key: { publicJwk }, algorithm: 'EdDSA', data: hello, signature }),
      ])
        await expect(refused).rejects.toThrow(Kms.KeyManagementError)
    },
  )

  test('are rejected with an invalid public key', async () => {
    for (const publicJwk of [
      { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' },
      { kty: 'RSA', n: 'AA', e: 'AQAB' },
    ] as const) {
      const verified = service().verify(acme, { key: { publicJwk }, algorithm: 'ES256', data: hello, signature: hello })
      await expect(verified).rejects.toThrow(Kms.KeyManagementError)
    }
  })
})
