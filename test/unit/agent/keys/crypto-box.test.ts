/** crypto_box and sealed box against libsodium, in both directions, and as properties. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  box,
  decryptBox,
  decryptSealedBox,
  encryptSealedBox,
  NONCE_LENGTH,
  type X25519KeyPair,
  x25519KeyPair,
  x25519OfEd25519,
  x25519PublicKey,
} from '../../../../lib/agent/keys/crypto-box.ts'
import { sodium } from './libsodium.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const message = fc.uint8Array({ maxLength: 2000 })
const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
const nonce = fc.uint8Array({ minLength: NONCE_LENGTH, maxLength: NONCE_LENGTH })
const RUNS = { numRuns: 50 }

const publicOf = ({ publicBytes }: X25519KeyPair) => x25519PublicKey(publicBytes)

/** The same bytes with one bit changed at a position of the generator's choice. */
const flipped = (bytes: Uint8Array, position: number) => {
  const altered = Uint8Array.from(bytes)
  const index = position % bytes.length
  altered[index] = (altered[index] ?? 0) ^ (1 << (position % 8))
  return altered
}

describe('x25519', () => {
  test('has the public key that libsodium has', () =>
    fc.assert(
      fc.property(secret, (bytes) => {
        expect(hex(x25519KeyPair(bytes).publicBytes)).toBe(hex(sodium.crypto_scalarmult_base(bytes)))
      }),
      RUNS,
    ))

  test('takes an Ed25519 seed as the X25519 key that libsodium makes of it', () =>
    fc.assert(
      fc.property(secret, (seed) => {
        const pair = sodium.crypto_sign_seed_keypair(seed)
        const publicKey = x25519OfEd25519(seed).publicBytes
        expect(hex(publicKey)).toBe(hex(sodium.crypto_sign_ed25519_pk_to_curve25519(pair.publicKey)))
      }),
      RUNS,
    ))
})

describe('a key that is remembered', () => {
  test('holds 32 bytes, and not the buffer that they were read into', () => {
    const read = Buffer.from(x25519KeyPair(randomBytes(32)).publicBytes)
    expect(read.buffer.byteLength).toBeGreaterThan(32)
    const [own, other] = [x25519KeyPair(read).publicBytes, x25519PublicKey(read).bytes]
    expect([own, other].map(({ buffer }) => buffer.byteLength)).toEqual([32, 32])
  })
})

describe('box', () => {
  test('is byte for byte what libsodium makes, and opens there and here', () =>
    fc.assert(
      fc.property(message, nonce, secret, secret, (content, iv, alice, bob) => {
        const alicePublic = sodium.crypto_scalarmult_base(alice)
        const bobPublic = sodium.crypto_scalarmult_base(bob)
        const boxed = box(content, iv, x25519PublicKey(bobPublic), x25519KeyPair(alice))
        expect(hex(boxed)).toBe(hex(sodium.crypto_box_easy(content, iv, bobPublic, alice)))
        expect(hex(sodium.crypto_box_open_easy(boxed, iv, alicePublic, bob))).toBe(hex(content))
        expect(hex(decryptBox(boxed, iv, x25519PublicKey(alicePublic), x25519KeyPair(bob)))).toBe(hex(content))
      }),
      RUNS,
    ))

  test('does not open when a bit of it is flipped', () =>
    fc.assert(
      fc.property(message, fc.nat(), (content, position) => {
        const [alice, bob] = [x25519KeyPair(randomBytes(32)), x25519KeyPair(randomBytes(32))]
        const iv = randomBytes(NONCE_LENGTH)
        const boxed = box(content, iv, publicOf(bob), alice)
        expect(() => decryptBox(flipped(boxed, position), iv, publicOf(alice), bob)).toThrow()
      }),
      RUNS,
    ))

  test('does not open with another nonce or for another sender', () => {
    const alice = x25519KeyPair(Buffer.alloc(32, 1))
    const bob = x25519KeyPair(Buffer.alloc(32, 2))
    const eve = x25519KeyPair(Buffer.alloc(32, 3))
    const iv = randomBytes(NONCE_LENGTH)
    const boxed = box(Buffer.from('hello'), iv, publicOf(bob), alice)
    expect(() => decryptBox(boxed, randomBytes(NONCE_LENGTH), publicOf(alice), bob)).toThrow()
    expect(() => decryptBox(boxed, iv, publicOf(eve), bob)).toThrow()
  })

  test('rejects a public key of small order', () => {
    const alice = x25519KeyPair(randomBytes(32))
    expect(() =>
      box(Buffer.from('hello'), randomBytes(NONCE_LENGTH), x25519PublicKey(new Uint8Array(32)), alice),
    ).toThrow()
  })
})

describe('sealed box', () => {
  test('is decrypted by libsodium, and the other way round', () =>
    fc.assert(
      fc.property(message, secret, (content, key) => {
        const publicKey = sodium.crypto_scalarmult_base(key)
        expect(
          hex(sodium.crypto_box_seal_open(encryptSealedBox(content, x25519PublicKey(publicKey)), publicKey, key)),
        ).toBe(hex(content))
        const sealed = sodium.crypto_box_seal(content, publicKey)
        expect(hex(decryptSealedBox(sealed, x25519KeyPair(key)))).toBe(hex(content))
      }),
      RUNS,
    ))

  // Bit 255 of an X25519 public key is ignored (RFC 7748 section 5), yet the nonce is a hash of all its bytes.
  test('does not open when a bit of it is flipped, that of the ephemeral key included', () =>
    fc.assert(
      fc.property(message, secret, fc.nat(), (content, key, position) => {
        const sealed = encryptSealedBox(content, x25519PublicKey(sodium.crypto_scalarmult_base(key)))
        expect(() => decryptSealedBox(flipped(sealed, position), x25519KeyPair(key))).toThrow()
      }),
      RUNS,
    ))

  test('does not open for another key', () => {
    const sealed = encryptSealedBox(Buffer.from('hello'), publicOf(x25519KeyPair(Buffer.alloc(32, 1))))
    expect(() => decryptSealedBox(sealed, x25519KeyPair(Buffer.alloc(32, 2)))).toThrow()
  })

  test('is rejected when it is cut short, at every length', () => {
    const key = x25519KeyPair(randomBytes(32))
    const sealed = encryptSealedBox(Buffer.from('hello'), publicOf(key))
    for (let length = 0; length < sealed.length; length += 1) {
      expect(() => decryptSealedBox(sealed.subarray(0, length), key)).toThrow()
    }
  })
})
