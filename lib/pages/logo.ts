/** Logos of issuers: images that are embedded in the metadata. URLs are never fetched, and SVG may have scripts. */

const MAX_BYTES = 32 * 1024

const DATA_URL = /^data:image\/(png|jpeg);base64,([A-Za-z0-9+/]+={0,2})$/

/** First bytes, in hexadecimal. */
const BEGINNINGS: Record<string, string> = { png: '89504e470d0a1a0a', jpeg: 'ffd8ff' }

/** The `data:` URL of a PNG or JPEG; undefined for anything else. */
export const logoUrl = (uri: unknown): string | undefined => {
  if (typeof uri !== 'string' || uri.length > 2 * MAX_BYTES) return undefined
  const [, type = '', base64 = ''] = DATA_URL.exec(uri) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const isPicture = bytes.length <= MAX_BYTES && bytes.toString('hex', 0, 8).startsWith(BEGINNINGS[type] ?? '-')
  return isPicture ? uri : undefined
}
