/** Ids of events: a function of what happened, and in order of time; an id alone leads to its item. */
import { createHash } from 'node:crypto'

const UUID_V8 = /^([0-9a-f]{8})-([0-9a-f]{4})-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * A UUIDv8 (RFC 9562, section 5.8): 48 bits of `occurredAt` (ISO 8601, to the ms) as in version 7, and 74 bits of a SHA-256 of `parts`, which
 * tell the event from all others of its millisecond. The same event has the same id, however often it is relayed.
 */
export const eventIdOf = (occurredAt: string, ...parts: string[]): string => {
  const bytes = Buffer.alloc(16)
  createHash('sha256').update(JSON.stringify(parts)).digest().copy(bytes, 6, 0, 10)
  bytes.writeUIntBE(Date.parse(occurredAt), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** When the event of this id occurred (ISO 8601 UTC, ms), or undefined for what is no event id. */
export const occurredAtOf = (eventId: string): string | undefined => {
  const [, high, low] = UUID_V8.exec(eventId) ?? []
  return high === undefined || low === undefined ? undefined : new Date(Number.parseInt(high + low, 16)).toISOString()
}
