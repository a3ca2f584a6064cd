/** Ids derived from content, so that concurrent invocations which create the same thing use the same id. */
import { hash } from 'node:crypto'

/** A UUID version 8 (RFC 9562, section 5.8) of the first bits of a SHA-256. */
export const uuidOf = (text: string): string => {
  const bytes = hash('sha256', text, 'buffer').subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
