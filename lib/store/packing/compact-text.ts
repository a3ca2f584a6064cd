/**
 * Replaces encoded parts of a text (base64, base64url, and the documents in long did:peer:4 DIDs) by their bytes. Text
 * in them then compresses like any other, and other bytes are a quarter shorter.
 *
 * Such a part, a run, is stored as a byte that UTF-8 does not have (`MARKER`), its form, its length (LEB128) and its
 * bytes. Only runs that can be restored exactly are replaced, because signatures are over the characters.
 */
import { isUtf8 } from 'node:buffer'
import { Bounded } from '../../bounded.ts'
import { fromBase58, toBase58 } from './base58.ts'
import { MismatchError } from './mismatch.ts'

const MARKER = 0xff

/** Bits of a run's form. 0 is base64url without padding. */
const STANDARD_ALPHABET = 1
const PADDED = 2
const BASE58 = 4
/** The bytes are text, which is compacted in the same way. */
const TEXT = 8

/** base58 takes quadratic time: 0.2 ms for this length. DIDs of wallets have about 700 characters. */
const MAX_BASE58 = 2048

/** Levels of runs within runs. An envelope in an attachment of an invitation has three. */
const MAX_DEPTH = 4

/**
 * A long did:peer:4, in two groups: up to its document, and the document; or 40 or more characters of base64 or
 * base64url. Shorter ones, such as ids, would not get shorter.
 */
const RUN = /(4zQm[1-9A-HJ-NP-Za-km-z]{44}:z)([2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]{39,})|(?<![\w+/-])[\w+/-]{40,}/g

interface Run {
  form: number
  bytes: Buffer
  /** Position in the text after the run. */
  end: number
}

/** The compact bytes of a well-formed text: never more than its UTF-8 has. */
export const compact = (text: string, depth = 0): Buffer => {
  const parts: Buffer[] = []
  let written = 0
  for (const { 0: match, 1: prefix = '', 2: document, index } of text.matchAll(RUN)) {
    // A service in a did:peer:2 is base64url after `.S`.
    const isService = match.startsWith('SeyJ') && text[index - 1] === '.'
    const start = index + (isService ? 1 : prefix.length)
    const end = index + match.length
    const run = document === undefined ? base64Run(text, start, end) : base58Run(document, end)
    if (run === undefined) continue
    const isText = depth < MAX_DEPTH && isUtf8(run.bytes)
    const bytes = isText ? compact(run.bytes.toString(), depth + 1) : run.bytes
    parts.push(
      Buffer.from(text.slice(written, start)),
      header(isText ? run.form | TEXT : run.form, bytes.length),
      bytes,
    )
    written = run.end
  }
  const rest = Buffer.from(text.slice(written))
  return parts.length === 0 ? rest : Buffer.concat([...parts, rest])
}

const base64Run = (text: string, start: number, end: number): Run | undefined => {
  const run = text.slice(start, end)
  const isStandard = /[+/]/.test(run)
  const padding = ['', '', '==', '='][run.length % 4] ?? ''
  const isPadded = text.startsWith(padding, end)
  const bytes = Buffer.from(run, 'base64')
  const form = (isStandard ? STANDARD_ALPHABET : 0) | (isPadded ? PADDED : 0)
  const encoded = isPadded ? run + padding : run
  return toText(form, bytes) === encoded ? { form, bytes, end: start + encoded.length } : undefined
}

/** Restored exactly, because it does not begin with `1`. */
const base58Run = (run: string, end: number): Run | undefined =>
  run.length > MAX_BASE58 ? undefined : { form: BASE58, bytes: documentOf(run), end }

const header = (form: number, length: number): Buffer => {
  const bytes = [MARKER, form]
  let rest = length
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

/** Reverses `compact`. Throws `MismatchError` for other bytes. */
export const expand = (bytes: Buffer, depth = 0): string => {
  let text = ''
  for (let at = 0; ; ) {
    const marker = bytes.indexOf(MARKER, at)
    text += utf8(bytes.subarray(at, marker === -1 ? bytes.length : marker))
    if (marker === -1) return text
    const { form, start, end } = readHeader(bytes, marker)
    const run = bytes.subarray(start, end)
    if ((form & TEXT) !== 0 && depth >= MAX_DEPTH)
      throw new MismatchError(`at most ${MAX_DEPTH} levels of encoded text`)
    text += toText(form & ~TEXT, (form & TEXT) === 0 ? run : Buffer.from(expand(run, depth + 1)))
    at = end
  }
}

const utf8 = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) throw new MismatchError('UTF-8')
  return bytes.toString()
}

const readHeader = (bytes: Buffer, marker: number): { form: number; start: number; end: number } => {
  const form = bytes[marker + 1] ?? Number.NaN
  let start = marker + 2
  let length = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[start++]
    if (byte === undefined || shift > 21) throw new MismatchError('the length of a run')
    length |= (byte & 0x7f) << shift
    if (byte <= 0x7f) break
  }
  if (start + length > bytes.length) throw new MismatchError('a whole run')
  return { form, start, end: start + length }
}

/** The characters of a run. Throws `MismatchError` for an unknown form. */
const toText = (form: number, bytes: Buffer): string => {
  switch (form) {
    case 0:
      return bytes.toString('base64url')
    case STANDARD_ALPHABET:
      return bytes.toString('base64').replace(/=+$/, '')
    case PADDED: {
      const text = bytes.toString('base64url')
      return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
    }
    case STANDARD_ALPHABET | PADDED:
      return bytes.toString('base64')
    case BASE58:
      return base58Text(bytes)
    default:
      throw new MismatchError('a form of a run')
  }
}

const base58Text = (bytes: Buffer): string => {
  if (bytes.length === 0 || bytes.length > MAX_BASE58 || bytes[0] === 0) throw new MismatchError('a document of a DID')
  const key = bytes.toString('latin1')
  const text = texts.get(key) ?? toBase58(bytes)
  documents.set(text, Buffer.from(bytes))
  return texts.set(key, text)
}

/** Caches: a record contains a DID several times, and is often written soon after it was read. */
const documents = new Bounded<string, Buffer>(16)
const texts = new Bounded<string, string>(16)

const documentOf = (text: string): Buffer => documents.get(text) ?? documents.set(text, fromBase58(text))
