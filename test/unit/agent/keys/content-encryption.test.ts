/** The encryption of an envelope's content, against libsodium, and as properties. */
import { randomBytes } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { acme, b64, bytes, ed25519, hello, service } from './fixtures.ts'
import { sodium } from './libsodium.ts'

describe('content encryption', () => {
  const aad = new TextEncoder().encode('protected')
  const key = (length: number) => ({ privateJwk: { kty: 'oct', k: b64(randomBytes(length)) } as const })

  test('by C20P is the IETF ChaCha20-Poly1305 of libsodium', async () => {
    const kms = service()
    const cek = key(32)
    const raw = bytes(cek.privateJwk.k)
    const {
      encrypted,
      iv = hello,
      tag = hello,
    } = await kms.encrypt(acme, { key: cek, encryption: { algorithm: 'C20P', aad }, data: hello })
    expect([iv.length, tag.length]).toStrictEqual([12, 16])
    const theirs = sodium.crypto_aead_chacha20poly1305_ietf_encrypt(hello, aad, null, new Uint8Array(iv), raw)
    expect(b64(theirs)).toBe(b64(Buffer.concat([encrypted, tag])))
    const back = await kms.decrypt(acme, {
      key: cek,
      decryption: { algorithm: 'C20P', iv, aad, tag: theirs.subarray(-16) },
      encrypted: theirs.subarray(0, -16),
    })
    expect(b64(back.data)).toBe(b64(hello))
  })

  test.each([
    { algorithm: 'C20P', length: 32 } as const,
    { algorithm: 'A256GCM', length: 32 } as const,
    { algorithm: 'A128GCM', length: 16 } as const,
  ])('by $algorithm gives any content back, and nothing once a bit is flipped', ({ algorithm, length }) =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 1000 }), fc.nat(), async (content, position) => {
        const kms = service()
        const cek = key(length)
        const {
          encrypted,
          iv = hello,
          tag = hello,
        } = await kms.encrypt(acme, { key: cek, encryption: { algorithm, aad }, data: content })
        const decrypt = (parts: { encrypted: Uint8Array; iv: Uint8Array; tag: Uint8Array; aad: Uint8Array }) =>
          kms.decrypt(acme, { key: cek, decryption: { algorithm, ...parts }, encrypted: parts.encrypted })
        const parts = { encrypted, iv, tag, aad }
        expect(b64((await decrypt(parts)).data)).toBe(b64(content))
        for (const [name, part] of Object.entries(parts)) {
          const altered = Uint8Array.from(part, (byte, index) => (index === position % part.length ? byte ^ 1 : byte))
          if (part.length > 0)
            await expect(decrypt({ ...parts, [name]: altered })).rejects.toThrow(Kms.KeyManagementError)
        }
      }),
      { numRuns: 25 },
    ),
  )

  test('takes a nonce and a tag of the right length only', async () => {
    const kms = service()
    const cek = key(32)
    const {
      encrypted,
      iv = hello,
      tag = hello,
    } = await kms.encrypt(acme, { key: cek, encryption: { algorithm: 'C20P' }, data: hello })
    const decrypt = (nonce: Uint8Array, mark: Uint8Array) =>
      kms.decrypt(acme, { key: cek, decryption: { algorithm: 'C20P', iv: nonce, tag: mark }, encrypted })
    expect(b64((await decrypt(iv, tag)).data)).toBe(b64(hello))
    await expect(decrypt(iv, tag.subarray(0, 4))).rejects.toThrow(Kms.KeyManagementError)
    await expect(decrypt(randomBytes(24), tag)).rejects.toThrow(Kms.KeyManagementError)
    await expect(kms.encrypt(acme, { key: key(16), encryption: { algorithm: 'C20P' }, data: hello })).rejects.toThrow(
      Kms.KeyManagementError,
    )
  })

  test('is not done by a stored key or another cipher', async () => {
    const kms = service()
    const { keyId } = await kms.createKey(acme, { type: ed25519 })
    for (const options of [
      { key: { keyId }, encryption: { algorithm: 'C20P' } as const },
      { key: key(32), encryption: { algorithm: 'A128CBC-HS256' } as const },
    ]) {
      await expect(kms.encrypt(acme, { ...options, data: hello })).rejects.toThrow(
        Kms.KeyManagementAlgorithmNotSupportedError,
      )
      const decryption = { ...options.encryption, iv: hello, tag: hello }
      await expect(kms.decrypt(acme, { key: options.key, decryption, encrypted: hello })).rejects.toThrow(
        Kms.KeyManagementAlgorithmNotSupportedError,
      )
    }
  })
})
