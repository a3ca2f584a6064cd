/** The encryption of an envelope's content, against libsodium, and as properties. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decryptContent, encryptContent } from '../../../../lib/agent/keys/content-encryption.ts'
import { b64, hello } from './fixtures.ts'
import { sodium } from './libsodium.ts'

const aad = new TextEncoder().encode('protected')
const key = randomBytes(32)

test('the encryption of content is the IETF ChaCha20-Poly1305 of libsodium', () => {
  const { encrypted, iv, tag } = encryptContent(key, hello, aad)
  expect([iv.length, tag.length]).toStrictEqual([12, 16])
  const theirs = sodium.crypto_aead_chacha20poly1305_ietf_encrypt(hello, aad, null, new Uint8Array(iv), key)
  expect(b64(theirs)).toBe(b64(Buffer.concat([encrypted, tag])))
  const parts = { encrypted: theirs.subarray(0, -16), iv, tag: theirs.subarray(-16) }
  expect(b64(decryptContent(key, parts, aad))).toBe(b64(hello))
})

test('it gives any content back, and nothing once a bit is flipped', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), fc.nat(), (content, position) => {
      const all = { ...encryptContent(key, content, aad), aad }
      const decrypt = ({ aad, ...parts }: typeof all) => decryptContent(key, parts, aad)
      expect(b64(decrypt(all))).toBe(b64(content))
      for (const [name, part] of Object.entries(all)) {
        const altered = Uint8Array.from(part, (byte, index) => (index === position % part.length ? byte ^ 1 : byte))
        if (part.length > 0) expect(() => decrypt({ ...all, [name]: altered })).toThrow()
      }
    }),
    { numRuns: 25 },
  )
})

test('a shorter tag, another nonce and a shorter key are rejected', () => {
  const parts = encryptContent(key, hello, aad)
  expect(() => decryptContent(key, { ...parts, tag: parts.tag.subarray(0, 4) }, aad)).toThrow()
  expect(() => decryptContent(key, { ...parts, iv: randomBytes(24) }, aad)).toThrow()
  expect(() => encryptContent(key.subarray(16), hello, aad)).toThrow()
})
