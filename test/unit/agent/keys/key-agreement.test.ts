/** Key agreement as Credo packs and unpacks envelopes with it, against libsodium, in both directions. */
import { randomBytes } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { agreementKeyOf, ownAgreementKeyOf } from '../../../../lib/agent/keys/key-agreement.ts'
import type { KeyManagementService } from '../../../../lib/agent/keys/key-management-service.ts'
import { acme, b64, bytes, ECDH, ed25519, hello, SALSA, service } from './fixtures.ts'
import { sodium } from './libsodium.ts'

/** An Ed25519 key of the service's, with its X25519 form as libsodium has it. */
const agreementPeer = async (kms: KeyManagementService) => {
  const seed = randomBytes(32)
  const pair = sodium.crypto_sign_seed_keypair(seed)
  const privateJwk = { ...ed25519, x: b64(pair.publicKey), d: b64(seed) }
  const { keyId } = await kms.importKey(acme, { privateJwk })
  return {
    keyId,
    privateKey: sodium.crypto_sign_ed25519_sk_to_curve25519(pair.privateKey),
    publicKey: sodium.crypto_sign_ed25519_pk_to_curve25519(pair.publicKey),
  }
}

describe('authenticated and anonymous boxes', () => {
  test.each([
    ['another algorithm', { alg: 'ECDH-ES' }],
    ['signatures only', { key_ops: ['sign'] }],
  ])('are not for a key that is for %s', async (_, more) => {
    const kms = service()
    const { publicKey, privateKey } = sodium.crypto_box_keypair()
    const privateJwk = { kty: 'OKP', crv: 'X25519', x: b64(publicKey), d: b64(privateKey), ...more } as const
    const { keyId } = await kms.importKey(acme, { privateJwk: privateJwk as Kms.KmsJwkPrivateOkp })
    const opening = kms.decrypt(acme, {
      key: { keyAgreement: { ...ECDH, keyId } },
      decryption: SALSA,
      encrypted: sodium.crypto_box_seal(hello, publicKey),
    })
    await expect(opening).rejects.toThrow(Kms.KeyManagementError)
  })

  test('go to libsodium and come from it', async () => {
    const kms = service()
    const ours = await agreementPeer(kms)
    const theirs = sodium.crypto_box_keypair()
    const externalPublicJwk = { kty: 'OKP', crv: 'X25519', x: b64(theirs.publicKey) } as const

    const boxed = await kms.encrypt(acme, {
      key: { keyAgreement: { ...ECDH, keyId: ours.keyId, externalPublicJwk } },
      encryption: SALSA,
      data: hello,
    })
    const iv = boxed.iv ?? new Uint8Array()
    expect(b64(sodium.crypto_box_open_easy(boxed.encrypted, iv, ours.publicKey, theirs.privateKey))).toBe(b64(hello))
    const back = await kms.decrypt(acme, {
      key: { keyAgreement: { ...ECDH, keyId: ours.keyId, externalPublicJwk } },
      decryption: { ...SALSA, iv },
      encrypted: sodium.crypto_box_easy(hello, iv, ours.publicKey, theirs.privateKey),
    })
    expect(b64(back.data)).toBe(b64(hello))

    const sealed = await kms.encrypt(acme, {
      key: { keyAgreement: { ...ECDH, externalPublicJwk } },
      encryption: SALSA,
      data: hello,
    })
    expect(b64(sodium.crypto_box_seal_open(sealed.encrypted, theirs.publicKey, theirs.privateKey))).toBe(b64(hello))
    const opened = await kms.decrypt(acme, {
      key: { keyAgreement: { ...ECDH, keyId: ours.keyId } },
      decryption: SALSA,
      encrypted: sodium.crypto_box_seal(hello, ours.publicKey),
    })
    expect(b64(opened.data)).toBe(b64(hello))
  })

  test('that were altered, or lack their nonce, are refused with an error of Credo', async () => {
    const kms = service()
    const ours = await agreementPeer(kms)
    const theirs = sodium.crypto_box_keypair()
    const externalPublicJwk = { kty: 'OKP', crv: 'X25519', x: b64(theirs.publicKey) } as const
    const keyAgreement = { ...ECDH, keyId: ours.keyId, externalPublicJwk }
    const iv = randomBytes(24)
    const encrypted = sodium.crypto_box_easy(hello, iv, ours.publicKey, theirs.privateKey)
    const decrypt = (decryption: typeof SALSA & { iv?: Uint8Array }, content: Uint8Array) =>
      kms.decrypt(acme, { key: { keyAgreement }, decryption, encrypted: content })
    await expect(
      decrypt(
        { ...SALSA, iv },
        encrypted.map((byte, index) => (index === 0 ? byte ^ 1 : byte)),
      ),
    ).rejects.toThrow(Kms.KeyManagementError)
    await expect(decrypt({ ...SALSA, iv: iv.subarray(1) }, encrypted)).rejects.toThrow(Kms.KeyManagementError)
    await expect(decrypt({ ...SALSA, iv }, new Uint8Array())).rejects.toThrow(Kms.KeyManagementError)
    await expect(decrypt(SALSA, encrypted)).rejects.toThrow(Kms.KeyManagementError)
  })

  test('are not made for a key of low order, and that is an error of Credo', async () => {
    const keyAgreement = {
      ...ECDH,
      externalPublicJwk: { kty: 'OKP', crv: 'X25519', x: b64(new Uint8Array(32)) },
    } as const
    const encrypting = service().encrypt(acme, { key: { keyAgreement }, encryption: SALSA, data: hello })
    await expect(encrypting).rejects.toThrow(Kms.KeyManagementError)
  })

  test('are opened by a stored X25519 key', async () => {
    const kms = service()
    const { keyId, publicJwk } = await kms.createKey(acme, { type: { kty: 'OKP', crv: 'X25519' } })
    const opened = await kms.decrypt(acme, {
      key: { keyAgreement: { ...ECDH, keyId } },
      decryption: SALSA,
      encrypted: sodium.crypto_box_seal(hello, bytes(publicJwk.x)),
    })
    expect(b64(opened.data)).toBe(b64(hello))
  })

  test('are not made with a P-256 key', async () => {
    const kms = service()
    const { keyId } = await kms.createKey(acme, { type: { kty: 'EC', crv: 'P-256' } })
    const opened = kms.decrypt(acme, { key: { keyAgreement: { ...ECDH, keyId } }, decryption: SALSA, encrypted: hello })
    await expect(opened).rejects.toThrow(Kms.KeyManagementError)
  })

  test('are not made with another key agreement', async () => {
    const kms = service()
    const { keyId } = await kms.createKey(acme, { type: { kty: 'OKP', crv: 'X25519' } })
    const externalPublicJwk = { kty: 'OKP', crv: 'X25519', x: b64(randomBytes(32)) } as const
    const keyAgreement = { algorithm: 'ECDH-ES+A256KW', keyId, externalPublicJwk } as const
    const encryption = { algorithm: 'A256GCM' } as const
    expect(kms.isOperationSupported(acme, { operation: 'encrypt', encryption, keyAgreement })).toBe(false)
    await expect(kms.encrypt(acme, { key: { keyAgreement }, encryption, data: hello })).rejects.toThrow(
      Kms.KeyManagementAlgorithmNotSupportedError,
    )
  })
})

test('the X25519 form of an Ed25519 key is that of libsodium, also when it is remembered, and of more keys than are', () => {
  const verkeys = Array.from({ length: 1_100 }, () => sodium.crypto_sign_seed_keypair(randomBytes(32)).publicKey)
  for (const verkey of [...verkeys, ...verkeys.slice(-10), ...verkeys.slice(0, 10)]) {
    const key = Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey: verkey })
    expect(b64(agreementKeyOf(key).bytes)).toBe(b64(sodium.crypto_sign_ed25519_pk_to_curve25519(verkey)))
  }
})

test('the X25519 form of a stored key is that of its public key', () => {
  const seed = randomBytes(32)
  const pair = sodium.crypto_sign_seed_keypair(seed)
  const key = ownAgreementKeyOf({ ...ed25519, x: b64(pair.publicKey), d: b64(seed) })
  expect(b64(key.publicKey.publicKey)).toBe(b64(sodium.crypto_sign_ed25519_pk_to_curve25519(pair.publicKey)))
})
