/** Key agreement as envelopes are packed and opened with it, against libsodium, in both directions. */
import { randomBytes } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { x25519PublicKey } from '../../../../lib/agent/keys/crypto-box.ts'
import {
  agreementKeyOf,
  decryptByAgreement,
  encryptByAgreement,
  ownAgreementKeyOf,
} from '../../../../lib/agent/keys/key-agreement.ts'
import { b64, ed25519, hello } from './fixtures.ts'
import { sodium } from './libsodium.ts'

/** An Ed25519 key, with its X25519 form as libsodium has it. */
const agreementPeer = () => {
  const seed = randomBytes(32)
  const pair = sodium.crypto_sign_seed_keypair(seed)
  return {
    jwk: { ...ed25519, x: b64(pair.publicKey), d: b64(seed) },
    privateKey: sodium.crypto_sign_ed25519_sk_to_curve25519(pair.privateKey),
    publicKey: sodium.crypto_sign_ed25519_pk_to_curve25519(pair.publicKey),
  }
}

describe('authenticated and anonymous boxes', () => {
  const ours = agreementPeer()
  const theirs = sodium.crypto_box_keypair()
  const theirKey = x25519PublicKey(theirs.publicKey)

  test('go to libsodium and come from it', () => {
    const { encrypted, iv = new Uint8Array() } = encryptByAgreement(ours.jwk, theirKey, hello)
    const nonce = Uint8Array.from(iv)
    const opened = sodium.crypto_box_open_easy(Uint8Array.from(encrypted), nonce, ours.publicKey, theirs.privateKey)
    expect(b64(opened)).toBe(b64(hello))
    const boxed = sodium.crypto_box_easy(hello, nonce, ours.publicKey, theirs.privateKey)
    expect(b64(decryptByAgreement(ours.jwk, boxed, { sender: theirKey, nonce }))).toBe(b64(hello))

    const sealed = Uint8Array.from(encryptByAgreement(undefined, theirKey, hello).encrypted)
    expect(b64(sodium.crypto_box_seal_open(sealed, theirs.publicKey, theirs.privateKey))).toBe(b64(hello))
    expect(b64(decryptByAgreement(ours.jwk, sodium.crypto_box_seal(hello, ours.publicKey)))).toBe(b64(hello))
  })

  test('that were altered, or have another nonce, are not opened', () => {
    const nonce = randomBytes(24)
    const encrypted = sodium.crypto_box_easy(hello, nonce, ours.publicKey, theirs.privateKey)
    const decrypt = (content: Uint8Array, iv: Uint8Array) =>
      decryptByAgreement(ours.jwk, content, { sender: theirKey, nonce: iv })
    const altered = encrypted.map((byte, index) => (index === 0 ? byte ^ 1 : byte))
    expect(() => decrypt(altered, nonce)).toThrow()
    expect(() => decrypt(encrypted, nonce.subarray(1))).toThrow()
    expect(() => decrypt(new Uint8Array(), nonce)).toThrow()
  })

  test('are not made for a key of low order', () => {
    expect(() => encryptByAgreement(ours.jwk, x25519PublicKey(new Uint8Array(32)), hello)).toThrow()
  })

  test('are not opened with a P-256 key', () => {
    const jwk = { kty: 'EC', crv: 'P-256', x: '', y: '', d: '' } as const
    expect(() => decryptByAgreement(jwk, hello)).toThrow(Kms.KeyManagementError)
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
