/** When leasing a lane is retried. */
import { expect, test } from 'vitest'
import { AgentError } from '../../../lib/errors.ts'
import { firstOf, leaseLane } from '../../../lib/outbox/lanes/lease.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { NOW, namesOf, scripted } from './scripted.ts'

const CONFLICT = new AgentError('store.conflict', 'another transaction')
const FOREIGN = { kind: { S: 'lane' }, lane: { S: 'a' }, lease: { S: 'another' }, leaseUntil: { N: String(NOW + 1) } }
const MINE = { ...FOREIGN, lease: { S: 'mine' } }
const TAKEN = { written: undefined, existing: FOREIGN }
const RELEASED = { written: undefined, existing: undefined }

const lease = async (updates: unknown[], reason: LaneWakeUp['reason'] = { kind: 'committed' }) => {
  const { actions, asked } = scripted({ update: updates })
  const result = await leaseLane(actions, { lane: 'a', reason }, { id: 'mine', now: NOW }).catch((error) => ({ error }))
  return { result, asked }
}

test('is tried ten times on conflicts, with growing pauses, and then fails', async () => {
  const { result, asked } = await lease(Array(10).fill(CONFLICT))
  expect(result).toMatchObject({ error: { code: 'store.conflict' } })
  const pauses = asked.filter(({ does }) => does === 'pause').flatMap(({ args }) => args)
  expect(pauses).toEqual([12.5, 25, 50, 100, 200, 200, 200, 200, 200])
  expect((await lease([...Array(9).fill(CONFLICT), { written: MINE }])).result).toHaveProperty('leased.lease', 'mine')
})

test('is not retried after another error', async () => {
  const fault = new AgentError('store.unavailable', 'an error')
  expect(await lease([fault])).toMatchObject({ result: { error: fault }, asked: [{ does: 'update' }] })
})

test('is tried up to ten times if the holder releases the lane before it is marked', async () => {
  const { result, asked } = await lease([TAKEN, RELEASED, { written: MINE }])
  expect(result).toHaveProperty('leased.lease', 'mine')
  expect(asked[1]?.args).toMatchObject([
    { change: { set: { dirty: {} } }, condition: { equals: { lease: FOREIGN.lease } } },
  ])
  expect(namesOf(asked)).toBe('update update update')
  expect(asked[2]?.args).toEqual(asked[0]?.args)
  const released = (times: number) => Array(times).fill([TAKEN, RELEASED]).flat()
  expect((await lease(released(10))).result).toMatchObject({ error: { code: 'store.conflict' } })
  const marked = await lease([...released(1), TAKEN, { written: FOREIGN }])
  expect(marked.result).toMatchObject({ leased: undefined, found: { lease: 'another' } })
})

test('does nothing if the lane waits, or if it is leased and the wake-up is not of a commit', async () => {
  const { lease: _, ...free } = FOREIGN
  const waits = await lease([{ written: undefined, existing: { ...free, waiting: { S: 'w' } } }])
  expect(waits).toMatchObject({ result: { leased: undefined, found: { lane: 'a', waiting: 'w' } }, asked: [{}] })
  const due = await lease([TAKEN], { kind: 'due', at: NOW })
  expect(due).toMatchObject({ result: { leased: undefined, found: { lease: 'another' } }, asked: [{}] })
})

test('replaces a corrupt lane, and the wake-up is repeated', async () => {
  const { result, asked } = await lease([{ written: { ...FOREIGN, failures: { S: 'many' } } }])
  expect(asked[1]).toMatchObject({ does: 'put', args: [{ lane: { S: 'a' }, dueAt: { N: String(NOW) } }] })
  expect(result).toMatchObject({ error: { code: 'store.conflict' } })
  expect(namesOf(asked)).toBe('update put')
})

test('allows sending the item of the wake-up first only if the lane has neither failed nor waited', () => {
  const first = { item: {}, index: 0 }
  const sent = (lane: object, reason: object = { kind: 'committed', first }) =>
    firstOf({ lane: 'a', lease: 'mine', ...lane }, Object({ lane: 'a', reason }))
  expect(sent({})).toBe(first)
  for (const before of [{ failures: 1 }, { dueAt: NOW }, { waiting: 'w' }]) expect(sent(before)).toBeUndefined()
  expect(sent({}, { kind: 'due', at: NOW, first })).toBeUndefined()
})
