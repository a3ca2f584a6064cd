/** The item of a destination after a change. */
import { expect, test } from 'vitest'
import {
  type Destination,
  type DestinationChange,
  destinationItem,
  LEAVE_INDEX,
  updateOf,
} from '../../../lib/outbox/destinations/destination.ts'
import { destinationAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { dueFor } from '../../../lib/store/due.ts'
import { Rows } from './rows.ts'

const NOW = 1_800_000_000_000
const SECONDS = NOW / 1_000
const TWO_DAYS = 2 * 24 * 60 * 60
const CLOSED: Destination = {
  ...{ destination: 'd', version: 7, closedAt: NOW, probeAt: NOW, rounds: 2, ...dueFor('d', NOW) },
  released: { lane: 'a', entry: '1|2|3', at: NOW },
  suspicions: [{ lane: 'a', at: NOW }],
}
const LASTING = { ignored: [{ lane: 'b', until: NOW }], slowUntil: NOW, slowLeft: 2, slowTimes: 3, quickUntil: NOW }

const after = (stored: Destination, change: DestinationChange, read = stored): Destination => {
  const rows = new Rows()
  rows.put(destinationItem.encode(stored))
  rows.update(updateOf(read, change, NOW))
  return destinationItem.decode(rows.get(destinationAddress('d')) ?? {})
}

test('one that leaves the index keeps its state for two days', () => {
  const rest = { destination: 'd', version: 8, ...LASTING, expiresAt: SECONDS + TWO_DAYS }
  expect(after({ ...CLOSED, ...LASTING }, LEAVE_INDEX)).toEqual(rest)
})

const QUICK = NOW + 30 * 24 * 60 * 60_000

test.each<[string, Partial<Destination>, DestinationChange]>([
  ['it was', { quickUntil: QUICK }, { set: { slowTimes: 1 } }],
  ['it is now', {}, { set: { quickUntil: QUICK } }],
])('a quick one, as %s, is stored for as long', (_, known, change) => {
  expect(after({ destination: 'd', version: 7, ...known }, change).expiresAt).toBe(QUICK / 1_000)
})

test.each<[string, Partial<Destination>, DestinationChange]>([
  ['is made due', { expiresAt: 1 }, { set: dueFor('d', NOW) }],
  ['is due', { expiresAt: 1, ...dueFor('d', NOW) }, { set: { slowTimes: 1 } }],
])('one that %s never expires', (_, known, change) => {
  expect(after({ destination: 'd', version: 7, ...known }, change)).not.toHaveProperty('expiresAt')
})

test('an expired one keeps no old value', () => {
  const expired = { ...CLOSED, ...LASTING, expiresAt: 1 }
  const rest = { destination: 'd', version: 1, slowTimes: 1, expiresAt: SECONDS + TWO_DAYS }
  expect(after(expired, { set: { slowTimes: 1 } }, { destination: 'd', version: 0 })).toEqual(rest)
})

test('one with a concurrent change stays unchanged', () => {
  expect(after(CLOSED, LEAVE_INDEX, { ...CLOSED, version: 6 })).toEqual(CLOSED)
})
