/**
 * Ids of outbox items: UUIDv7, in order of time. An id created after another one was committed is greater, even if the
 * clocks of the functions differ.
 */

import { randomBytes } from 'node:crypto'
import type { Item } from '../../store/table.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { toUuid } from '../../uuid.ts'
import { messageLane } from '../wake-ups/index.ts'

let lastMillisecond = 0
let counter = 0

/**
 * A UUIDv7 of the time (`now` in ms since the epoch) with a 12-bit counter in `rand_a` for ids of one millisecond: even
 * if the clock stands still or goes back, no id is smaller than the one before. The counter starts in its lower half,
 * so that it can grow. RFC 9562, sections 5.7 and 6.2 (method 1). `random` gives the 10 bytes that fill the rest.
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
  bytes.writeUInt16BE(counter, 6)
  return toUuid(bytes, 7)
}

/** The time of a UUIDv7, in ms since the epoch; 0 without an id. RFC 9562, section 5.7. */
export const timeOfId = (id = ''): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16) || 0

const ENDS = Symbol('ends of lanes')

/**
 * Reads the last waiting item in a lane of a connection (strongly consistent). Without `did` the same request also
 * reads the connection's record into the cache of the unit: an operation that calls this first saves a request. Throws
 * `store.unavailable`.
 */
export const readLaneEnd = (unit: UnitOfWork, connectionId: string, did?: string): Promise<Item | undefined> => {
  const ends = unit.moduleState(ENDS, () => new Map<string, Promise<Item | undefined>>())
  const lane = messageLane(unit.tenant, connectionId, did)
  const end = ends.get(lane) ?? unit.readWithLast(lane)
  ends.set(lane, end)
  return end
}

/**
 * An id greater than those of all items that wait in the lane: its time is later than that of the last item, even if
 * clocks differ. Throws `store.unavailable`.
 */
export const nextOutboxId = async (unit: UnitOfWork, connectionId: string, did?: string): Promise<string> => {
  const last = await readLaneEnd(unit, connectionId, did)
  return newOutboxId(Math.max(Date.now(), timeOfId(last?.sk?.S) + 1))
}
