/** Leasing a lane, step by step: when it is tried again, and when not. */
import { expect, test } from 'vitest'
import { AgentError } from '../../../lib/errors.ts'
import { firstOf, leaseOf } from '../../../lib/outbox/lease.ts'
import type { Step } from '../../../lib/outbox/step.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-up.ts'
import type { Item } from '../../../lib/store/table.ts'

const NOW = 1_800_000_000_000
const by = { now: NOW, random: () => 0.5, newId: () => 'new' }
const CONFLICT = new AgentError('store.conflict', 'another transaction')
const FOREIGN = { kind: { S: 'lane' }, lane: { S: 'a' }, lease: { S: 'another' }, leaseUntil: { N: String(NOW + 1) } }

const begin = (reason: LaneWakeUp['reason'] = { kind: 'committed' }) =>
  leaseOf({ lane: 'a', reason }, { id: 'mine', now: NOW }, (result): Step<unknown> => ({ result }))

const askOf = (step: Step<unknown>) => {
  if (!('ask' in step)) throw new Error('it has ended')
  return step.ask
}

const failing = (step: Step<unknown>, error: unknown) => askOf(step).orElse?.(error, by) ?? { error: undefined }

test('is tried ten times while other transactions have the lane, with growing pauses, and fails then', () => {
  let step = begin()
  const pauses: unknown[] = []
  for (let tries = 1; tries < 10; tries++) {
    const pause = askOf(failing(step, CONFLICT))
    pauses.push(pause.does, ...pause.with)
    step = pause.next(undefined, by)
  }
  const lengths = [12.5, 25, 50, 100, 200, 200, 200, 200, 200]
  expect(pauses).toEqual(lengths.flatMap((length) => ['pause', length]))
  expect(failing(step, CONFLICT)).toMatchObject({ error: { code: 'store.conflict' } })
})

test('is not tried again after any other fault', () => {
  const fault = new AgentError('store.unavailable', 'a fault')
  expect(failing(begin(), fault)).toEqual({ error: fault })
})

test('is tried again where its holder has released it before it could be marked', () => {
  const mark = askOf(begin()).next({ written: undefined, found: FOREIGN }, by)
  expect(askOf(mark).with).toMatchObject([
    { change: { set: { dirty: {} } }, condition: { equals: { lease: FOREIGN.lease } } },
  ])
  const again = askOf(mark).next({ written: undefined, found: undefined }, by)
  expect(askOf(again).with).toEqual(askOf(begin()).with)
})

test('is tried ten times where its holders release it before it could be marked, and fails then', () => {
  const markOf = (step: Step<unknown>) => askOf(askOf(step).next({ written: undefined, found: FOREIGN }, by))
  const released = (step: Step<unknown>) => markOf(step).next({ written: undefined, found: undefined }, by)
  let step = begin()
  for (let tries = 1; tries < 10; tries++) step = released(step)
  expect(released(step)).toMatchObject({ error: { code: 'store.conflict' } })
})

test('is left as it is where it waits, or where anything but a commit finds it leased', () => {
  const { lease, leaseUntil, ...free } = FOREIGN
  const notLeased = (reason: LaneWakeUp['reason'], found: Item) =>
    askOf(begin(reason)).next({ written: undefined, found }, by)
  expect(notLeased({ kind: 'committed' }, { ...free, waiting: { S: 'w' } })).toMatchObject({
    result: { leased: undefined, found: { lane: 'a', waiting: 'w' } },
  })
  expect(notLeased({ kind: 'due', at: NOW }, FOREIGN)).toMatchObject({
    result: { leased: undefined, found: { lane: 'a', lease: 'another' } },
  })
})

test('is made anew where it cannot be read, and the wake-up comes again', () => {
  const made = askOf(askOf(begin()).next({ written: { ...FOREIGN, failures: { S: 'many' } } }, by))
  expect(made).toMatchObject({ does: 'put', with: [{ lane: { S: 'a' }, dueAt: { N: String(NOW) } }] })
  expect(made.next(undefined, by)).toMatchObject({ error: { code: 'store.conflict' } })
})

test('lets the item of its wake-up be sent unread only where the lane has neither failed nor waited', () => {
  const first = { item: {}, index: 0 }
  const sent = (lane: object, reason: object = { kind: 'committed', first }) =>
    firstOf({ lane: 'a', lease: 'mine', ...lane }, Object({ lane: 'a', reason }))
  expect(sent({})).toBe(first)
  for (const before of [{ failures: 1 }, { dueAt: NOW }, { waiting: 'w' }]) expect(sent(before)).toBeUndefined()
  expect(sent({}, { kind: 'due', at: NOW, first })).toBeUndefined()
})
