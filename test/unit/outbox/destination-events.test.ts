/** What an event changes of a destination, as it was read. */
import { expect, test } from 'vitest'
import type { Change, Destination } from '../../../lib/outbox/destination.ts'
import { suspectOf } from '../../../lib/outbox/destination.ts'
import { type DestinationEvent, tell } from '../../../lib/outbox/destination-events.ts'
import type { Step } from '../../../lib/outbox/step.ts'

const NOW = 1_800_000_000_000
const by = { now: NOW, random: () => 0.5, newId: () => 'new' }

/** Undefined where nothing changes. */
const changeOf = (known: Partial<Destination>, event: DestinationEvent): Change | undefined => {
  const read = { destination: 'd', version: 1, ...known }
  const step = tell({ destination: 'd', event, now: NOW, next: (): Step => ({ result: undefined }) })
  const decided = 'ask' in step ? step.ask.next(read, by) : step
  return 'ask' in decided ? (decided.ask.with[1] as Change) : undefined
}
const failed = (lane: string, more = {}): DestinationEvent => ({
  ...{ kind: 'failed', lane, party: 'acme', fault: 'gateway', probe: false, random: 0.5, ...more },
})
const suspicion = (lane: string) => ({ ...suspectOf(lane), at: NOW })
const many = (count: number) => Array.from({ length: count }, (_, index) => suspicion(`one|x|${index}`))

test('a failure at a closed destination counts if it is of a probe: once for each lane, and for 40 of them', () => {
  const closed = { closedAt: NOW - 1, suspicions: [suspicion('a'), suspicion('b')] }
  expect(changeOf(closed, failed('a'))).toBeUndefined()
  expect(changeOf(closed, failed('a', { probe: true }))?.set.suspicions).toEqual([suspicion('b'), suspicion('a')])
  const full = changeOf({ closedAt: NOW - 1, suspicions: many(40) }, failed('a', { probe: true }))
  expect(full?.set.suspicions).toEqual([...many(40).slice(1), suspicion('a')])
})

test('a lane that has closed it does not count until its day is over', () => {
  const ignored = (until: number) => ({ ignored: [{ lane: suspectOf('a').lane, until }] })
  expect(changeOf(ignored(NOW + 1), failed('a'))).toBeUndefined()
  expect(changeOf(ignored(NOW), failed('a'))?.set.suspicions).toHaveLength(1)
  expect(changeOf(ignored(NOW + 1), failed('b'))?.set.suspicions).toHaveLength(1)
})

test('until then more lanes have to fail', () => {
  const suspicions = many(19)
  const last = failed('one|x|last')
  expect(changeOf({ suspicions }, last)?.set.closedAt).toBe(NOW)
  expect(changeOf({ suspicions, ignored: [{ lane: 'x', until: NOW + 1 }] }, last)?.set.closedAt).toBeUndefined()
  expect(changeOf({ suspicions, ignored: [{ lane: 'x', until: NOW }] }, last)?.set.closedAt).toBe(NOW)
})

test('one that a lane waits for is due in a second, unless it is in the index', () => {
  expect(changeOf({}, { kind: 'awaited' })?.set.dueAt).toBe(NOW + 1_000)
  expect(changeOf({ dueAt: NOW + 9_000 }, { kind: 'awaited' })).toBeUndefined()
})
