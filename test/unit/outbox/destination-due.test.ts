/** How a due destination is handled. */
import { expect, test } from 'vitest'
import { probeDelay } from '../../../lib/outbox/destinations/circuit-breaker.ts'
import type { Destination, DestinationChange } from '../../../lib/outbox/destinations/destination.ts'
import { onDestinationDue } from '../../../lib/outbox/destinations/destination-due.ts'
import { type Asked, NOW, namesOf as names, scripted } from './scripted.ts'

const ENTRY = { destination: 'd', lane: 'a', entry: '1|2|3', since: NOW }

/** The actions for a due destination. `results`: by name, in order. */
const asksOf = async (known: Partial<Destination>, results: Record<string, unknown[]> = {}) => {
  const read = { destination: 'd', version: 1, dueAt: NOW, ...known }
  const usual = {
    ...{ destination: read, change: read, wakeLanes: [true], someEntries: [], entriesOfRandomShard: [] },
    recentDestination: { destination: 'd', version: 0 },
  }
  const { actions, asked } = scripted(results, usual)
  await onDestinationDue({ destination: 'd', at: NOW }, NOW, () => 0.5, actions)
  return asked
}
const setBy = (asks: Asked[]) =>
  (asks.find(({ does }) => does === 'change')?.args[1] as DestinationChange | undefined)?.set

test('a probe sets the time of the next one; lanes with expired items are woken each second until then', async () => {
  const probeAt = NOW + probeDelay(4, 0.5)
  const probe = await asksOf({ closedAt: NOW, probeAt: NOW, rounds: 3 }, { someEntries: [[], [ENTRY]] })
  expect(setBy(probe)).toMatchObject({ rounds: 4, probeAt, dueAt: probeAt })
  const waits = { closedAt: NOW, probeAt: NOW + 9_000, rounds: 3 }
  const expired = await asksOf(waits, { someEntries: [[ENTRY]] })
  expect(setBy(expired)).toMatchObject({ rounds: 3, probeAt: NOW + 9_000, dueAt: NOW + 1_000 })
  expect(names(expired)).toBe('destination someEntries change wakeLanes removeEntries wakeLater')
  expect(setBy(await asksOf(waits))).toMatchObject({ dueAt: NOW + 9_000 })
  const soon = { closedAt: NOW, probeAt: NOW + 400, rounds: 3 }
  expect(setBy(await asksOf(soon, { someEntries: [[ENTRY]] }))).toMatchObject({ dueAt: NOW + 400 })
})

test('an item that has expired only since the probe was due is not given up before that probe', async () => {
  const expiredBy = async (probeAt: number) => (await asksOf({ closedAt: NOW, probeAt }))[1]?.args.at(-1)
  expect(await expiredBy(NOW - 3_600_000)).toBe(NOW - 3_600_000)
  expect(await expiredBy(NOW + 9_000)).toBe(NOW)
})

const QUICK = { version: 1, quickUntil: NOW + 1 }

test.each([
  ['fast', { destination: 'o', ...QUICK }, {}],
  ['slow', { destination: 'o', version: 0 }, QUICK],
])('a probe of an address goes to the queue of its origin: %s', async (queue, origin, known) => {
  const closed = { destination: 'o#d', closedAt: NOW, probeAt: NOW, ...known }
  const asks = await asksOf(closed, { someEntries: [[], [ENTRY]], recentDestination: [origin] })
  expect(asks.find(({ does }) => does === 'recentDestination')?.args).toEqual(['o', NOW])
  expect(asks.find(({ does }) => does === 'wakeLanes')?.args[1]).toBe(queue)
})

test.each([
  [0, 16],
  [1, 32],
  [2, 64],
  [9, 64],
])('after %i releases %i lanes are released in a second', async (rounds, room) => {
  const asks = await asksOf({ rounds }, { someEntries: [[ENTRY]] })
  expect(names(asks)).toBe('destination recentDestination someEntries change wakeLanes removeEntries wakeLater')
  expect(asks[2]?.args).toEqual(['d', room])
  expect(setBy(asks)).toMatchObject({ rounds: rounds + 1, dueAt: NOW + 1_000, released: { lane: 'a', at: NOW } })
})

test('a slow one releases as many lanes as its origin has free slots, again in ten seconds', async () => {
  const slow = { destination: 'o', version: 1, slowUntil: NOW + 1 }
  const results = { recentDestination: [slow], freeSlots: [3], entriesOfRandomShard: [[ENTRY]] }
  const asks = await asksOf({ destination: 'o#d' }, results)
  expect(asks[2]?.args).toEqual(['o', NOW])
  expect(asks[3]?.args).toEqual(['o#d', 3, 0.5])
  expect(asks.find(({ does }) => does === 'wakeLanes')?.args[1]).toBe('slow')
  expect(setBy(asks)).toMatchObject({ rounds: 1, dueAt: NOW + 10_000 })
  const full = await asksOf({ rounds: 2 }, { recentDestination: [slow], freeSlots: [0] })
  expect(names(full)).toBe('destination recentDestination freeSlots change wakeLater')
})

test('only the lanes whose wake-ups the queue has accepted leave the list', async () => {
  const entries = ['1|2|3', '1|2|4', '1|2|5'].map((entry) => ({ ...ENTRY, entry }))
  const removed = (asks: Asked[]) => asks.find(({ does }) => does === 'removeEntries')?.args
  const results = { someEntries: [entries], wakeLanes: [[true, false, true]] }
  expect(removed(await asksOf({}, results))).toEqual(['d', ['1|2|3', '1|2|5']])
  const closed = { closedAt: NOW, probeAt: NOW + 9_000 }
  expect(removed(await asksOf(closed, results))).toEqual(['d', ['1|2|3', '1|2|5']])
})

test('a wake-up with another time than the due time does nothing', async () => {
  expect(names(await asksOf({ dueAt: NOW + 1 }))).toBe('destination')
})

test('a concurrent change wakes nothing', async () => {
  expect(names(await asksOf({}, { someEntries: [[ENTRY]], change: [undefined] }))).toBe(
    'destination recentDestination someEntries change',
  )
})

test.each([
  ['it is leased', { waiting: { S: '1|2|3' }, lease: { S: 'l' } }],
  ['it waits under another entry', { waiting: { S: '1|2|4' } }],
])('a lane of the last release has begun if %s', async (_, lane) => {
  const released = { rounds: 1, released: { lane: 'a', entry: '1|2|3', at: NOW - 1_000 } }
  expect(names(await asksOf(released, { get: [lane], someEntries: [[ENTRY]] }))).toContain('wakeLanes')
})

test('the next release waits for a lane of the last one, for a minute at most', async () => {
  const releasedAt = (at: number) => ({ rounds: 1, released: { lane: 'a', entry: '1|2|3', at } })
  const results = { get: [{ waiting: { S: '1|2|3' } }], someEntries: [[ENTRY]] }
  expect(names(await asksOf(releasedAt(NOW - 59_999), results))).toBe(
    'destination recentDestination get change wakeLater',
  )
  expect(names(await asksOf(releasedAt(NOW - 60_000), results))).toBe(
    'destination recentDestination someEntries change wakeLanes removeEntries wakeLater',
  )
})

test('one without waiting lanes leaves the index and its list is read again, also after a concurrent change', async () => {
  const asked = 'destination recentDestination someEntries change change someEntries'
  expect(names(await asksOf({}))).toBe(asked)
  const read = { destination: 'd', version: 1, dueAt: NOW }
  expect(names(await asksOf({}, { change: [read, undefined] }))).toBe(asked)
})
