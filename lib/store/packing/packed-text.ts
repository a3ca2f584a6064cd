/**
 * Packs texts of items: compacts them (compact-text.ts), then compresses them with zlib (RFC 1950) and a preset
 * dictionary, which the header identifies.
 *
 * A new dictionary takes two releases: the first adds it to `DICTIONARIES`, the second writes with it (`CURRENT_ID`).
 * So during a deployment, and after a rollback, every item can be read. A dictionary is removed when no item needs it.
 */
import { deflateSync, inflateSync } from 'node:zlib'
import { AgentError } from '../../errors.ts'
import { compact, expand } from './compact-text.ts'
import { DICTIONARY_1 } from './dictionary-1.ts'
import { MismatchError } from './mismatch.ts'

/** By their Adler-32 checksum, as in the header. */
const DICTIONARIES: ReadonlyMap<number, Buffer> = new Map([[0xdb74a108, Buffer.from(DICTIONARY_1)]])

/** The dictionary for new items. */
const CURRENT_ID = 0xdb74a108

/**
 * Bytes of a text in UTF-8: the limit of an item. A few packed bytes may unpack to hundreds of KB, so `pack` and
 * `unpack` check the text, not only the item.
 */
const MAX_TEXT_BYTES = 400 * 1024

/** Shorter texts hardly shrink. */
const MIN_BYTES = 32

/**
 * Bytes of zlib's output buffers: enough for most texts. V8 frees them only in full garbage collections, which were
 * twice as frequent with Node's default of 16 KB.
 */
const PACKED_CHUNK = 1024
const TEXT_CHUNK = 4096

/** The packed text; undefined if it is not shorter. Throws `store.item_too_large`. */
export const pack = (text: string): Uint8Array | undefined => {
  const size = Buffer.byteLength(text)
  if (size > MAX_TEXT_BYTES) throw new AgentError('store.item_too_large', 'a record would be larger than 400 KB')
  if (size < MIN_BYTES) return undefined
  const packed = deflateSync(compact(text), { dictionary: DICTIONARIES.get(CURRENT_ID), chunkSize: PACKED_CHUNK })
  // A copy, because the underlying buffer is larger.
  return packed.length < size ? new Uint8Array(packed) : undefined
}

/** RFC 1950, section 2.2: after the method and flags, the Adler-32 of the dictionary. */
const dictionaryOf = (packed: Uint8Array): Buffer | undefined =>
  DICTIONARIES.get(packed.subarray(2, 6).reduce((sum, byte) => sum * 256 + byte, 0))

/**
 * Throws `MismatchError` for bytes that are not a packed text, have an unknown dictionary, or unpack to over 400 KB.
 */
export const unpack = (packed: Uint8Array): string => {
  const text = expand(inflate(packed))
  const size = Buffer.byteLength(text)
  if (size > MAX_TEXT_BYTES) throw new MismatchError('a text of at most 400 KB')
  sizes.set(packed, size)
  return text
}

const sizes = new WeakMap<Uint8Array, number>()

/** Size of the text, for bytes that were unpacked; for any other bytes their own length. */
export const unpackedBytes = (bytes: Uint8Array): number => sizes.get(bytes) ?? bytes.byteLength

const inflate = (packed: Uint8Array): Buffer => {
  const dictionary = dictionaryOf(packed)
  if (dictionary === undefined) throw new MismatchError('a known dictionary')
  try {
    return inflateSync(packed, { dictionary, maxOutputLength: MAX_TEXT_BYTES, chunkSize: TEXT_CHUNK })
  } catch {
    throw new MismatchError('packed text')
  }
}
