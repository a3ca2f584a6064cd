/** The item of a lane after each write of its holder. */
import { expect, test } from 'vitest'
import {
  type Lane,
  type LeasedLane,
  laneItem,
  laneWrites,
  makeDueAt,
  makeDueNow,
} from '../../../lib/outbox/lanes/lane.ts'
import { laneAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { dueFor } from '../../../lib/store/due.ts'
import type { TableWrite } from '../../../lib/store/write.ts'
import { Rows } from './rows.ts'

const NOW = 1_800_000_000_000
const FAULTS = { item: 'i1', errors: 1, ends: 0, since: NOW }
const HELD = { lease: 'mine', leaseUntil: NOW + 1, leases: 2, dirty: true }
const OF_ITEM = { failures: 3, epoch: NOW - 9, faults: FAULTS }
const WAITS = { waiting: '1|2|3', waitsFor: 'd' }
const DUE = dueFor('a', NOW + 2)
const FULL: LeasedLane = { lane: 'a', ...HELD, ...OF_ITEM, ...WAITS, ...DUE }

const after = (write: TableWrite, lane: Lane = FULL): Lane | undefined => {
  const rows = new Rows()
  rows.put(laneItem.encode(lane))
  rows.transact([write])
  const item = rows.get(laneAddress('a'))
  return item && laneItem.decode(item)
}

const { leases, dirty, ...lease } = HELD

test.each<[string, TableWrite, Partial<Lane>]>([
  ['that continues with the next item', laneWrites.nextItem(FULL), { ...lease, dirty, ...DUE }],
  ['that reads its items again', laneWrites.readAgain(FULL), { ...lease, ...DUE }],
  [
    'that waits after a first failure',
    laneWrites.wait(FULL, { at: NOW, failures: 1, now: NOW - 1 }),
    { failures: 1, epoch: NOW - 1, ...dueFor('a', NOW) },
  ],
  [
    'that waits after another failure, by an internal error',
    laneWrites.wait(FULL, { at: NOW, failures: 4, now: NOW - 1, internalErrors: { ...FAULTS, errors: 2 } }),
    { failures: 4, epoch: OF_ITEM.epoch, faults: { ...FAULTS, errors: 2 }, ...dueFor('a', NOW) },
  ],
  [
    'that waits for its destination',
    laneWrites.waitForDestination(FULL, { entry: '4|5|6', destination: 'e' }),
    { ...OF_ITEM, waiting: '4|5|6', waitsFor: 'e' },
  ],
  [
    'that is handed over',
    laneWrites.handOver(FULL, 'slow|mine', NOW),
    { ...OF_ITEM, waiting: 'slow|mine', ...dueFor('a', NOW) },
  ],
  ['that is handed over while it probes', laneWrites.handOverProbe(FULL), { ...OF_ITEM, ...WAITS }],
])('a lane %s has no other attributes', (_, write, rest) => {
  expect(after(write)).toEqual({ lane: 'a', ...rest })
  expect(after(write, { ...FULL, lease: 'of another' })).toEqual({ ...FULL, lease: 'of another' })
})

const isChanged = (update: ReturnType<typeof makeDueAt>, lane: Lane): boolean => {
  const { address, ...rest } = update
  return after({ update: address, ...rest }, lane)?.dueAt === NOW
}
const lane = 'a'

test.each<[string, Lane, due: boolean, entered: boolean]>([
  ['waits for a time', { lane, ...DUE }, true, false],
  ['waits for no time', { lane }, false, true],
  ['is leased', { lane, ...lease }, false, true],
  ['is leased, and due when the lease is over', { lane, ...lease, ...DUE }, false, false],
  ['waits for its destination', { lane, ...WAITS }, false, true],
  ['waits for its destination, and is due', { lane, ...WAITS, ...DUE }, false, false],
  ['was handed over', { lane, waiting: 'slow|mine', ...DUE }, false, true],
  ['was handed over, and is leased', { lane, waiting: 'slow|mine', ...lease, ...DUE }, false, false],
])('a lane that %s is made due or not', (_, known, due, entered) => {
  expect([isChanged(makeDueNow(lane, NOW), known), isChanged(makeDueAt(lane, NOW), known)]).toEqual([due, entered])
})

test('a lane that is made due is dirty: a holder that has read only one item does not remove it', () => {
  const { address, ...rest } = makeDueAt(lane, NOW)
  expect(after({ update: address, ...rest }, { lane, ...lease })).toMatchObject({ dirty: true })
})
