/** The keys that the service makes, imports, shows and deletes, and what it says of itself. */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Kms, TypedArrayEncoder } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { acme, b64, bytes, context, ed25519, hello, service } from './fixtures.ts'
import { sodium } from './libsodium.ts'

const p256 = { kty: 'EC', crv: 'P-256' } as const

const ed25519Pair = () => {
  const seed = randomBytes(32)
  return { x: b64(sodium.crypto_sign_seed_keypair(seed).publicKey), d: b64(seed) }
}

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

  test('are gone once deleted', async () => {
    const kms = service()
    const { keyId } = await kms.createKey(acme, { type: ed25519 })
    expect(await kms.deleteKey(acme, { keyId })).toBe(true)
    expect(await kms.deleteKey(acme, { keyId })).toBe(false)
    expect(await kms.getPublicKey(acme, keyId)).toBeNull()
  })

  test('are imported with the id that they name', async () => {
    const type = { kty: 'OKP', crv: 'X25519' } as const
    const { x = '', d = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' })
    const { keyId, publicJwk } = await service().importKey(acme, { privateJwk: { ...type, x, d, kid: 'mine' } })
    expect(keyId).toBe('mine')
    expect(publicJwk).toStrictEqual({ ...type, x, kid: 'mine' })
  })

  test('of Ed25519 have the id that envelopes name them by: the public half in base58', async () => {
    const kms = service()
    const { keyId, publicJwk } = await kms.createKey(acme, { type: ed25519 })
    expect(keyId).toBe(TypedArrayEncoder.toBase58(bytes(publicJwk.x)))
    const privateJwk = { ...ed25519, ...ed25519Pair() }
    const imported = await kms.importKey(acme, { privateJwk })
    expect(imported.keyId).toBe(TypedArrayEncoder.toBase58(bytes(privateJwk.x)))
    await expect(kms.importKey(acme, { privateJwk: { ...privateJwk, kid: imported.keyId } })).rejects.toThrow(
      Kms.KeyManagementKeyExistsError,
    )
  })

  test('of Ed25519 take no other id, under which no envelope could find them', async () => {
    const kms = service()
    await expect(kms.createKey(acme, { type: ed25519, keyId: 'one' })).rejects.toThrow(Kms.KeyManagementError)
    const privateJwk = { ...ed25519, ...ed25519Pair(), kid: 'one' }
    await expect(kms.importKey(acme, { privateJwk })).rejects.toThrow(Kms.KeyManagementError)
  })

  test('are refused when the public half is not that of the private one', async () => {
    const d = b64(randomBytes(32))
    const imported = service().importKey(acme, { privateJwk: { ...ed25519, x: b64(randomBytes(32)), d } })
    const error: unknown = await imported.catch((refused: unknown) => refused)
    expect(error).toBeInstanceOf(Kms.KeyManagementError)
    expect(String(error)).not.toContain(d)
  })

  test('are refused when the private half is no key, without quoting it', async () => {
    const imported = service().importKey(acme, { privateJwk: { ...ed25519, x: b64(randomBytes(32)), d: 'c2VjcmV0' } })
    const error: unknown = await imported.catch((refused: unknown) => refused)
    expect(error).toBeInstanceOf(Kms.KeyManagementError)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('c2VjcmV0')
  })

  test('of other kinds are refused', async () => {
    const kms = service()
    await expect(kms.createKey(acme, { type: { kty: 'RSA', modulusLength: 2048 } })).rejects.toThrow(
      Kms.KeyManagementAlgorithmNotSupportedError,
    )
    const privateJwk = { kty: 'oct' as const, k: b64(randomBytes(32)) }
    await expect(kms.importKey(acme, { privateJwk })).rejects.toThrow(Kms.KeyManagementAlgorithmNotSupportedError)
  })
})

test('random bytes are as many as asked for, and others each time', () => {
  const kms = service()
  const [first, second] = [kms.randomBytes(acme, { length: 32 }), kms.randomBytes(acme, { length: 32 })]
  expect(first).toHaveLength(32)
  expect(b64(first)).not.toBe(b64(second))
})

test('says what it supports as Credo asks before each call', () => {
  const supports = (operation: Kms.KmsOperation) => service().isOperationSupported(acme, operation)
  expect(supports({ operation: 'createKey', type: ed25519 })).toBe(true)
  expect(supports({ operation: 'createKey', type: { kty: 'EC', crv: 'P-521' } })).toBe(false)
  expect(supports({ operation: 'deleteKey' })).toBe(true)
  expect(supports({ operation: 'sign', algorithm: 'EdDSA' })).toBe(true)
  expect(supports({ operation: 'verify', algorithm: 'RS256' })).toBe(false)
  expect(supports({ operation: 'encrypt', encryption: { algorithm: 'C20P' } })).toBe(false)
})
