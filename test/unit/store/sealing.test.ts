/** What is sealed opens with its key at its address, and not when anything about it was changed. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seal, unseal } from '../../../lib/store/data-keys.ts'

const KEY = randomBytes(32)
const ADDRESS = 'acme|key|k1'
const SECRET = Buffer.from('a private key')

test('should open to what was sealed, whatever it is', () => {
  const roundTrip = fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.string(), (plaintext, address) => {
    expect(Uint8Array.from(unseal(seal(plaintext, KEY, address), KEY, address))).toEqual(plaintext)
  })
  fc.assert(roundTrip)
})

test('should show nothing of it, nor be the same twice', () => {
  const sealed = Buffer.from(seal(SECRET, KEY, ADDRESS))
  expect(sealed.includes(SECRET)).toBe(false)
  expect(sealed.equals(seal(SECRET, KEY, ADDRESS))).toBe(false)
  // IV, tag and as many bytes as were sealed.
  expect(sealed).toHaveLength(12 + 16 + SECRET.length)
})

test('should open at no other address', () => {
  const sealed = seal(SECRET, KEY, ADDRESS)
  for (const address of ['', 'acme|key|k2', 'other|key|k1', `${ADDRESS} `])
    expect(() => unseal(sealed, KEY, address)).toThrow()
})

test('should open with no other key', () => {
  expect(() => unseal(seal(SECRET, KEY, ADDRESS), randomBytes(32), ADDRESS)).toThrow()
})

test('should not open with any byte changed or missing', () => {
  const sealed = Buffer.from(seal(SECRET, KEY, ADDRESS))
  for (let place = 0; place < sealed.length; place++) {
    const altered = Buffer.from(sealed)
    altered.writeUInt8(altered.readUInt8(place) ^ 1, place)
    expect(() => unseal(altered, KEY, ADDRESS)).toThrow()
    expect(() => unseal(sealed.subarray(0, place), KEY, ADDRESS)).toThrow()
  }
  expect(() => unseal(Buffer.concat([sealed, Buffer.alloc(1)]), KEY, ADDRESS)).toThrow()
})

test('should not open with a part of its tag, which would be easier to guess', () => {
  const sealed = seal(new Uint8Array(), KEY, ADDRESS)
  expect(() => unseal(sealed.subarray(0, -4), KEY, ADDRESS)).toThrow()
})
