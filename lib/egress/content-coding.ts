/**
 * Content codings of documents (RFC 9110, section 8.4). Hosts that store objects compressed send them compressed,
 * whatever the request accepts: one coding is decoded, within the size limit of the response.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'

/** Requests content without a coding. RFC 9110, section 12.5.3. */
export const WITHOUT_CODING = { 'accept-encoding': 'identity' }

/** A content can't be read: its coding is not supported, or is not the one that the header names. */
export class ContentCodingError extends Error {
  readonly code = 'ERR_CONTENT_CODING'
}

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const gzip = promisify(gunzip)

const DECODERS = new Map<string, Decoder>([
  ['gzip', gzip],
  ['x-gzip', gzip],
  ['br', promisify(brotliDecompress)],
  // Some hosts leave out the zlib header (section 8.4.1.2), which begins with 8 in its lower half (RFC 1950).
  ['deflate', (bytes, options) => promisify(((bytes[0] ?? 0) & 15) === 8 ? inflate : inflateRaw)(bytes, options)],
])

/**
 * Decodes the content of a complete response with this `content-encoding`. Undefined if it exceeds `maxBytes`: then
 * decoding stops. Throws a `ContentCodingError`.
 */
export const decodeContent = async (
  bytes: Buffer,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer | undefined> => {
  const codings = (contentEncoding?.toLowerCase().split(',') ?? []).map((coding) => coding.trim())
  const name = codings.filter((coding) => coding !== '' && coding !== 'identity').join(', ')
  if (name === '') return bytes
  const decode = DECODERS.get(name)
  // The host chooses the name, so it is sanitized.
  if (decode === undefined)
    throw new ContentCodingError(`content-encoding ${name.replace(/[^\w, -]/g, '?').slice(0, 50)}`)
  try {
    return await decode(bytes, { maxOutputLength: maxBytes })
  } catch (cause) {
    if (cause instanceof RangeError) return undefined
    throw new ContentCodingError(`content does not match content-encoding ${name}`, { cause })
  }
}
