/** Packed texts come back character by character, and bytes that are not packed texts are never taken for one. */
import { constants, deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toBase58 } from '../../../../lib/store/packing/base58.ts'
import { compact, expand } from '../../../../lib/store/packing/compact-text.ts'
import { DICTIONARY_1 } from '../../../../lib/store/packing/dictionary-1.ts'
import { MismatchError } from '../../../../lib/store/packing/mismatch.ts'
import { pack, unpack } from '../../../../lib/store/packing/packed-text.ts'

const MAX_TEXT_BYTES = 400 * 1024

const dictionary = Buffer.from(DICTIONARY_1)

/** Packs a text whether or not it becomes shorter. */
const packAnyway = (text: string): Buffer => deflateSync(compact(text), { dictionary })

const expectRoundTrip = (text: string) => {
  const bytes = compact(text)
  expect(bytes.length).toBeLessThanOrEqual(Buffer.byteLength(text))
  expect(expand(bytes)).toBe(text)
  expect(unpack(packAnyway(text))).toBe(text)
}

const wellFormed = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }))
const ENCODINGS = ['base64', 'base64url'] as const
const BASE64 = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_']
const BASE58 = [...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz']

const charactersOf = (alphabet: string[], minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })

/** Canonical or not: any padding, trailing bits, both alphabets in one run. */
const anyBase64 = fc
  .tuple(charactersOf(BASE64, 30, 200), fc.constantFrom('', '=', '==', '==='))
  .map(([run, padding]) => run + padding)

const encoded = fc
  .tuple(fc.uint8Array({ minLength: 25, maxLength: 200 }), fc.constantFrom(...ENCODINGS), fc.boolean())
  .map(([bytes, encoding, padded]) => {
    const text = Buffer.from(bytes).toString(encoding)
    return padded ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text.replace(/=+$/, '')
  })

const longDid = fc
  .tuple(charactersOf(BASE58, 40, 50), charactersOf(BASE58, 30, 300))
  .map(([hash, document]) => `did:peer:4zQm${hash}:z${document}`)

describe('a packed text should come back character by character', () => {
  test('whatever it says', () => {
    fc.assert(fc.property(wellFormed, expectRoundTrip))
    fc.assert(fc.property(fc.json(), expectRoundTrip))
  })

  test('with base64 of every form in it', () => {
    const texts = fc.array(fc.oneof(anyBase64, encoded, longDid, wellFormed), { maxLength: 6 })
    fc.assert(fc.property(texts, (parts) => expectRoundTrip(parts.join(''))))
    fc.assert(fc.property(texts, (parts) => expectRoundTrip(JSON.stringify(parts))))
  })

  test('with texts encoded in encoded texts, however deep', () => {
    const nested = fc.tuple(wellFormed, encoded, longDid, fc.array(fc.constantFrom(...ENCODINGS), { maxLength: 12 }))
    fc.assert(
      fc.property(nested, ([text, run, did, encodings]) => {
        const wrap = (inner: string, encoding: BufferEncoding) => `{"${Buffer.from(inner).toString(encoding)}"}`
        expectRoundTrip(encodings.reduce(wrap, JSON.stringify([text, run, did])))
      }),
    )
  })

  test.each([
    ['one run', 'A'.repeat(MAX_TEXT_BYTES)],
    ['runs of 39 characters', `${'x'.repeat(39)} `.repeat(10_000)],
    ['runs with all paddings', `${'QUJD'.repeat(12)}=${'QUJD'.repeat(12)}QQ==${'QUJD'.repeat(12)}QUI=`],
    ['documents of DIDs', `did:peer:4zQm${'a'.repeat(44)}:z${'9'.repeat(2_048)} `.repeat(190)],
    ...[2_049, 3_000, 300_000].map((length): [string, string] => [
      `a document that is too long for one: ${length} characters`,
      `did:peer:4zQm${'a'.repeat(44)}:z${'9'.repeat(length)}`,
    ]),
    ['a document that begins with zeros', `did:peer:4zQm${'a'.repeat(44)}:z${'1'.repeat(300)}`],
    ['the marker of runs as text and as bytes', `\u00ff\u{ffff} ${Buffer.alloc(60, 0xff).toString('base64')}`],
  ])('of %s', (_name, text) => {
    expectRoundTrip(text)
  })
})

test('base64 and base58 are stored as bytes, also within each other', () => {
  const bytes = Buffer.alloc(90, 'Zürich')
  for (const encoding of ENCODINGS) expect(compact(bytes.toString(encoding)).length).toBeLessThan(100)
  expect(compact(Buffer.from(bytes.toString('base64')).toString('base64')).length).toBeLessThan(100)
  // The multibase prefix, then multicodec 0x0200 and the document.
  const did = `did:peer:4zQm${'c'.repeat(44)}:z${toBase58(Buffer.from([0x80, 0x04, ...bytes]))}`
  expect(compact(did).length).toBeLessThan(did.length - 30)
})

describe('bytes that are not a packed text', () => {
  const packed = packAnyway(JSON.stringify({ text: 'a text', run: Buffer.alloc(60, 7).toString('base64') }))
  const expectMismatch = (bytes: Uint8Array): void => {
    expect(() => unpack(bytes)).toThrow(MismatchError)
  }

  test('should be rejected where they end early', () => {
    for (let length = 0; length < packed.length; length++) expectMismatch(packed.subarray(0, length))
  })

  test('should be rejected where any of them differs', () => {
    for (let at = 0; at < packed.length; at++) {
      const changed = Buffer.from(packed)
      changed.writeUInt8(packed.readUInt8(at) ^ 0x55, at)
      expectMismatch(changed)
    }
  })

  test('should be rejected whatever they are', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), expectMismatch))
    expectMismatch(deflateSync('without a dictionary'))
    expectMismatch(deflateSync('another', { dictionary: Buffer.from('another dictionary') }))
  })

  test('should be rejected if they are compressed, but are no compact text', () => {
    const compressed = (bytes: Uint8Array) => deflateSync(bytes, { dictionary })
    const hostile = fc.array(
      fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constantFrom([0xff], [0xff, 8], [0xff, 12, 3], [0xff, 4, 1, 0])),
    )
    const property = fc.property(hostile, (parts) => {
      const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)))
      try {
        expect(typeof unpack(compressed(bytes))).toBe('string')
      } catch (error) {
        expect(error).toBeInstanceOf(MismatchError)
      }
    })
    fc.assert(property)
    for (const bytes of [
      [0xff],
      [0xff, 0],
      [0xff, 0, 0xff, 0xff, 0xff, 0xff, 0xff],
      // A length of more bytes than any has, a run that ends early, a document of a DID that is too long.
      [0xff, 0, 0x80, 0x80, 0x80, 0x80, 0],
      [0xff, 0, 2, 0],
      [0xff, 4, 0x81, 0x10, ...Array.from({ length: 2_049 }, () => 1)],
      [0xff, 16, 0],
      [0xff, 4, 0],
      // Documents that begin with 0, as none is written.
      [0xff, 4, 1, 0],
      [0xff, 4, 2, 0, 1],
      [0xc0],
    ])
      expectMismatch(compressed(Buffer.from(bytes)))
  })

  test('should be rejected if texts are nested deeper than any that is written', () => {
    let bytes = Buffer.from('text')
    for (let level = 0; level < 5; level++) bytes = Buffer.concat([Buffer.from([0xff, 8, bytes.length]), bytes])
    expectMismatch(deflateSync(bytes, { dictionary }))
  })

  test('should be rejected if they are more than a text may have', () => {
    const bomb = deflateSync(Buffer.alloc(MAX_TEXT_BYTES + 1, 'a'), { dictionary, level: constants.Z_BEST_COMPRESSION })
    // It is not inflated.
    expect(() => unpack(bomb)).toThrow(new MismatchError('packed text'))
    const run = Buffer.from([0xff, 0, 0x80, 0x80, 0x18])
    expectMismatch(deflateSync(Buffer.concat([run, Buffer.alloc(0x60000)]), { dictionary }))
  })
})

test('a text of more than 400 KB should not be packed, however well it compresses', () => {
  expect(pack('a'.repeat(MAX_TEXT_BYTES))?.length).toBeLessThan(1_000)
  for (const text of ['a'.repeat(MAX_TEXT_BYTES + 1), 'ü'.repeat(MAX_TEXT_BYTES / 2 + 1)])
    expect(() => pack(text)).toThrow(expect.objectContaining({ code: 'store.item_too_large' }))
})

test('a text that does not become shorter should stay unchanged', () => {
  expect(pack('')).toBeUndefined()
  expect(pack('{"a":1}')).toBeUndefined()
  expect(pack('\u0001\u0002'.repeat(3))).toBeUndefined()
  expect(
    pack(String.fromCharCode(...Array.from({ length: 64 }, (_, index) => 32 + ((index * 37) % 95)))),
  ).toBeUndefined()
})

test('the dictionary that stored items name should never change', () => {
  expect(packAnyway('any text').readUInt32BE(2)).toBe(0xdb74a108)
})
