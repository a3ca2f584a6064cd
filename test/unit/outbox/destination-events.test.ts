/** How an event changes a destination. */
import { expect, test } from 'vitest'
import type { Destination, DestinationChange } from '../../../lib/outbox/destinations/destination.ts'
import { shortNamesOf } from '../../../lib/outbox/destinations/destination.ts'
import {
  changeBy,
  type DestinationEvent,
  ensureDestinationDue,
  report,
} from '../../../lib/outbox/destinations/destination-events.ts'
import { NOW, namesOf, scripted, textOf } from './scripted.ts'

const DAY = 24 * 60 * 60_000
const IGNORED_FOR = DAY
const QUICK_FOR = 30 * DAY
const SLOW_FOR = 10 * 60_000
const SLOW_MS = 1_500

/** Undefined if nothing changes. */
const changeOf = (known: Partial<Destination>, event: DestinationEvent): DestinationChange | undefined =>
  changeBy({ destination: 'd', version: 1, ...known }, event, NOW)
const failed = (lane: string, more = {}): DestinationEvent => ({
  ...{ kind: 'failed', lane, party: 'acme', scope: 'gateway', probe: false, random: 0.5, ...more },
})
const suspicion = (lane: string) => ({ ...shortNamesOf(lane), at: NOW })
const many = (count: number) => Array.from({ length: count }, (_, index) => suspicion(`one|x|${index}`))

test('a failed probe of a closed destination counts, once for each lane, for up to 40 lanes', () => {
  const closed = { closedAt: NOW - 1, suspicions: [suspicion('a'), suspicion('b')] }
  expect(changeOf(closed, failed('a'))).toBeUndefined()
  expect(changeOf(closed, failed('a', { probe: true }))?.set.suspicions).toEqual([suspicion('b'), suspicion('a')])
  const full = changeOf({ closedAt: NOW - 1, suspicions: many(40) }, failed('a', { probe: true }))
  expect(full?.set.suspicions).toEqual([...many(40).slice(1), suspicion('a')])
  const first = changeOf({ closedAt: NOW - 1 }, failed('a', { probe: true }))
  expect(first?.set.suspicions).toEqual([suspicion('a')])
})

test('a refused connection closes it immediately; if it is not shared, the full name of the lane is stored', () => {
  const at = NOW + 1_500
  expect(changeOf({ rounds: 9 }, failed('a', { scope: 'connection' }))?.set).toMatchObject({
    ...{ suspicions: [suspicion('a')], closedAt: NOW, probeAt: at, rounds: 0, dueAt: at },
  })
  expect(changeOf({}, failed('a', { party: undefined }))?.set).toEqual({
    suspicions: [{ ...suspicion('a'), own: 'a' }],
  })
})

test('failures count for a minute, one for each lane; at a destination that is not shared until a success, and three close it', () => {
  const before = [{ ...suspicion('a'), at: NOW - 60_000 }, suspicion('b')]
  expect(changeOf({ suspicions: before }, failed('b'))?.set.suspicions).toEqual([suspicion('b')])
  const own = (lane: string) => ({ lane: shortNamesOf(lane).lane, own: lane, at: 1 })
  const third = changeOf({ suspicions: [own('a'), own('b')] }, failed('c', { party: undefined }))
  expect(third?.set.closedAt).toBe(NOW)
})

test('a lane that has closed it does not count for a day', () => {
  const ignored = (until: number) => ({ ignored: [{ lane: shortNamesOf('a').lane, until }] })
  expect(changeOf(ignored(NOW + 1), failed('a'))).toBeUndefined()
  expect(changeOf(ignored(NOW), failed('a'))?.set.suspicions).toHaveLength(1)
  expect(changeOf(ignored(NOW + 1), failed('b'))?.set.suspicions).toHaveLength(1)
})

test('until then more lanes must fail', () => {
  const suspicions = many(19)
  const last = failed('one|x|last')
  expect(changeOf({ suspicions }, last)?.set.closedAt).toBe(NOW)
  expect(changeOf({ suspicions, ignored: [{ lane: 'x', until: NOW + 1 }] }, last)?.set.closedAt).toBeUndefined()
  expect(changeOf({ suspicions, ignored: [{ lane: 'x', until: NOW }] }, last)?.set.closedAt).toBe(NOW)
  const ofTwo = [suspicion('one|x|1'), suspicion('two|x|1')]
  const third = failed('three|x|1')
  expect(changeOf({ suspicions: ofTwo }, third)?.set.closedAt).toBe(NOW)
  expect(changeOf({ suspicions: ofTwo, ignored: [{ lane: 'x', until: NOW + 1 }] }, third)?.set.closedAt).toBeUndefined()
  const again = (count: number) => ({ suspicions: many(count), ignored: [{ lane: 'x', until: NOW + 1 }] })
  expect(changeOf(again(98), last)?.set.closedAt).toBeUndefined()
  expect(changeOf(again(99), last)?.set.closedAt).toBe(NOW)
})

test('a destination with a waiting lane is due in a second, unless it is in the index', () => {
  expect(changeOf({ rounds: 9 }, { kind: 'awaited' })?.set).toMatchObject({ rounds: 0, dueAt: NOW + 1_000 })
  expect(changeOf({ dueAt: NOW + 9_000 }, { kind: 'awaited' })).toBeUndefined()
})

const name = (lane: string) => shortNamesOf(lane).lane

test('after a success the lane counts again, and the failures are removed', () => {
  const ignored = [
    { lane: 'x', until: NOW + 1 },
    { lane: name('a'), until: NOW + 1 },
  ]
  expect(changeOf({ ignored }, { kind: 'delivered', lane: 'a' })?.set).toEqual({ ignored: [ignored[0]] })
  expect(changeOf({ ignored }, { kind: 'delivered', lane: 'b' })).toBeUndefined()
  expect(changeOf({}, { kind: 'delivered', lane: 'a' })).toBeUndefined()
  const forgotten = { set: { ignored: [] }, remove: ['suspicions'] }
  expect(changeOf({ suspicions: many(1) }, { kind: 'delivered', lane: 'b' })).toEqual(forgotten)
})

test('a lane that reaches it opens it, and the other lanes do not count for a day', () => {
  const reached: DestinationEvent = { kind: 'reached', lane: 'a' }
  const until = NOW + IGNORED_FOR
  const suspicions = [suspicion('a'), suspicion('b')]
  const ignored = [
    { lane: 'still', until: NOW + 1 },
    { lane: 'no more', until: NOW },
    { lane: name('a'), until: NOW + 1 },
  ]
  expect(changeOf({ suspicions }, reached)).toBeUndefined()
  const opened = changeOf({ closedAt: NOW - 1, suspicions, ignored }, reached)
  expect(opened?.set.ignored).toEqual([ignored[0], { lane: name('b'), until }])
  const full = changeOf({ closedAt: NOW - 1, suspicions: many(40), ignored }, reached)
  expect(full?.set.ignored).toEqual(many(40).map(({ lane }) => ({ lane, until })))
  const removed = { set: { ignored: [], rounds: 0, dueAt: NOW }, remove: ['closedAt', 'probeAt', 'suspicions'] }
  expect(changeOf({ closedAt: NOW - 1 }, reached)).toMatchObject(removed)
})

test('a slow one is written once a minute, and a quick one twice a month', () => {
  const slow: DestinationEvent = { kind: 'took', took: SLOW_MS, answered: false }
  const known = { slowUntil: NOW + SLOW_FOR - 59_999, slowTimes: 2, slowLeft: 2 }
  expect(changeOf(known, slow)).toBeUndefined()
  expect(changeOf({ ...known, slowLeft: 1 }, slow)).toMatchObject({ set: { slowLeft: 2 }, remove: ['quickUntil'] })
  expect(changeOf({ ...known, slowUntil: NOW + SLOW_FOR - 60_000 }, slow)?.set.slowUntil).toBe(NOW + SLOW_FOR)
  const quick: DestinationEvent = { kind: 'took', took: 20, answered: true }
  expect(changeOf({ quickUntil: NOW + QUICK_FOR / 2 }, quick)).toBeUndefined()
  const set = { quickUntil: NOW + QUICK_FOR }
  expect(changeOf({ quickUntil: NOW + QUICK_FOR / 2 - 1 }, quick)).toEqual({ set })
  expect(changeOf({}, { ...quick, answered: false })).toBeUndefined()
  expect(changeOf(known, quick)).toEqual({ set: { slowLeft: 1 } })
  expect(changeOf({ ...known, slowLeft: 1 }, quick)).toEqual({ set, remove: ['slowUntil', 'slowLeft'] })
})

test.each([
  [0, 1, 1],
  [1, 2, 2],
  [3, 4, 8],
  [4, 4, 8],
])('one that was slow %i times is slow for time %i, until %i quick responses', (slowTimes, times, slowLeft) => {
  const slow: DestinationEvent = { kind: 'took', took: SLOW_MS, answered: true }
  const set = { slowUntil: NOW + SLOW_FOR, slowTimes: times, slowLeft }
  expect(changeOf({ slowTimes, slowUntil: NOW, quickUntil: NOW + 1 }, slow)).toEqual({ set, remove: ['quickUntil'] })
})

/** The actions. `after`: the destination after the change, undefined after a concurrent change. */
const asksOf = async (event: DestinationEvent, known: Partial<Destination>, after?: Partial<Destination>) => {
  const read = { destination: 'd', version: 1, ...known }
  const { actions, asked } = scripted({}, { destination: read, change: after && { ...read, ...after } })
  await report(actions, 'd', event, NOW)
  return asked
}

test('is decided up to ten times after concurrent changes of the destination', async () => {
  const asks = await asksOf(failed('a'), {})
  expect(asks.filter(({ does }) => does === 'change')).toHaveLength(10)
})

test('fails after ten concurrent changes, so that no lane is in the list of a destination that is not in the index', async () => {
  const awaited = (read: Partial<Destination>) =>
    ensureDestinationDue(scripted({}, { destination: { destination: 'd', version: 1, ...read } }).actions, 'd', NOW)
  await expect(awaited({})).rejects.toMatchObject({ code: 'store.conflict' })
  await expect(awaited({ dueAt: NOW })).resolves.toBeUndefined()
})

test('wakes the destination that it closes, and the lanes that failed before; nothing if it is closed already', async () => {
  const own = (lane: string) => ({ ...suspicion(lane), own: lane })
  const suspicions = [own('before'), own('a'), suspicion('shared')]
  const closes = await asksOf(failed('a'), {}, { closedAt: NOW, dueAt: NOW + 1_500, suspicions })
  expect(namesOf(closes)).toBe('destination change update wakeLater')
  expect(textOf(closes[2])).toContain('before')
  const closed = { closedAt: NOW - 1, dueAt: NOW + 1_500 }
  expect(await asksOf(failed('a', { probe: true }), closed, closed)).toHaveLength(2)
  const slow: DestinationEvent = { kind: 'took', took: SLOW_MS, answered: false }
  expect(await asksOf(slow, {}, { closedAt: NOW, dueAt: NOW + 1_500 })).toHaveLength(2)
})
