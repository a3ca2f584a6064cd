/** The keys that the service creates, shows and deletes, and the operations that it supports. */
import { Kms, TypedArrayEncoder } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { acme, b64, bytes, context, ed25519, hello, service } from './fixtures.ts'

const p256 = { kty: 'EC', crv: 'P-256' } as const

describe('keys', () => {
  test.each([
    { kty: 'OKP', crv: 'Ed25519' } as const,
    { kty: 'OKP', crv: 'X25519' } as const,
    { kty: 'EC', crv: 'P-256' } as const,
    { kty: 'EC', crv: 'secp256k1' } as const,
  ])('makes a $crv key and shows its public half only', async (type) => {
    const kms = service()
    const { keyId, publicJwk } = await kms.createKey(acme, { type })
    expect(publicJwk).toMatchObject({ ...type, kid: keyId })
    expect(publicJwk).not.toHaveProperty('d')
    expect(await kms.getPublicKey(acme, keyId)).toStrictEqual(publicJwk)
  })

  test('belong to the agent that made them', async () => {
    const kms = service()
    const { keyId } = await kms.createKey(acme, { type: ed25519 })
    expect(await kms.getPublicKey(context('other'), keyId)).toBeNull()
    await expect(kms.sign(context('other'), { keyId, algorithm: 'EdDSA', data: hello })).rejects.toThrow(
      Kms.KeyManagementKeyNotFoundError,
    )
  })

  test('are not replaced by others of the same id', async () => {
    const kms = service()
    await kms.createKey(acme, { type: p256, keyId: 'one' })
    await expect(kms.createKey(acme, { type: p256, keyId: 'one' })).rejects.toThrow(Kms.KeyManagementKeyExistsError)
  })

  test('do not exist once deleted', async () => {
    const kms = service()
    const { keyId } = await kms.createKey(acme, { type: ed25519 })
    expect(await kms.deleteKey(acme, { keyId })).toBe(true)
    expect(await kms.deleteKey(acme, { keyId })).toBe(false)
    expect(await kms.getPublicKey(acme, keyId)).toBeNull()
  })

  test('of Ed25519 have the id that envelopes name them by: the public half in base58', async () => {
    const kms = service()
    const { keyId, publicJwk } = await kms.createKey(acme, { type: ed25519 })
    expect(keyId).toBe(TypedArrayEncoder.toBase58(bytes(publicJwk.x)))
  })

  test('of Ed25519 take no other id, under which no envelope could find them', async () => {
    const kms = service()
    await expect(kms.createKey(acme, { type: ed25519, keyId: 'one' })).rejects.toThrow(Kms.KeyManagementError)
  })

  test('of other kinds are rejected', async () => {
    const kms = service()
    await expect(kms.createKey(acme, { type: { kty: 'RSA', modulusLength: 2048 } })).rejects.toThrow(
      Kms.KeyManagementAlgorithmNotSupportedError,
    )
  })
})

test('random bytes are as many as asked for, and others each time', () => {
  const kms = service()
  const [first, second] = [kms.randomBytes(acme, { length: 32 }), kms.randomBytes(acme, { length: 32 })]
  expect(first).toHaveLength(32)
  expect(b64(first)).not.toBe(b64(second))
})

test('returns whether it supports an operation, which Credo asks before each call', () => {
  const supports = (operation: Kms.KmsOperation) => service().isOperationSupported(acme, operation)
  expect(supports({ operation: 'createKey', type: ed25519 })).toBe(true)
  expect(supports({ operation: 'createKey', type: { kty: 'EC', crv: 'P-521' } })).toBe(false)
  expect(supports({ operation: 'deleteKey' })).toBe(true)
  expect(supports({ operation: 'sign', algorithm: 'EdDSA' })).toBe(true)
  expect(supports({ operation: 'verify', algorithm: 'RS256' })).toBe(false)
  expect(supports({ operation: 'encrypt', encryption: { algorithm: 'C20P' } })).toBe(false)
})
