/** Ids of outbox items: UUIDv7, time-ordered across processes and strictly increasing within one. */
import { randomBytes } from 'node:crypto'

let lastMillisecond = 0
let counter = 0

/**
 * A UUIDv7 of the time (`now` in ms since the epoch) with a 12-bit counter in `rand_a` for ids of one millisecond: a
 * clock that stands still or goes back never makes a smaller id. The counter starts in its lower half, so that there is
 * room to count. RFC 9562, sections 5.7 and 6.2 (method 1). `random` gives the 10 bytes that fill the rest.
 */
export const newOutboxId = (now: number = Date.now(), random: (size: number) => Uint8Array = randomBytes): string => {
  const bytes = Buffer.alloc(16)
  bytes.set(random(10), 6)
  if (now > lastMillisecond) {
    lastMillisecond = now
    counter = bytes.readUInt16BE(6) & 0x7ff
  } else if (++counter > 0xfff) {
    lastMillisecond += 1
    counter = 0
  }
  bytes.writeUIntBE(lastMillisecond, 0, 6)
  bytes.writeUInt16BE(0x7000 | counter, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The time of a UUIDv7, in ms since the epoch; 0 of none. RFC 9562, section 5.7. */
export const timeOfId = (id = ''): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16) || 0
