/** Ids in the form of RFC 9562. */
import { hash } from 'node:crypto'

/** The UUID of 16 bytes; the bits of the version and the variant are replaced in them. */
export const toUuid = (bytes: Buffer, version: number): string => {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | (version << 4), 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** A UUIDv8 of a SHA-256, so that concurrent invocations which create the same thing use the same id. */
export const uuidOf = (text: string): string => toUuid(hash('sha256', text, 'buffer').subarray(0, 16), 8)
