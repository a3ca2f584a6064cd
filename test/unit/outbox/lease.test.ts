/** Leasing a lane, step by step: when it is tried again, and when not. */
import { expect, test } from 'vitest'
import { AgentError } from '../../../lib/errors.ts'
import { leaseOf } from '../../../lib/outbox/lease.ts'
import type { Step } from '../../../lib/outbox/step.ts'

const NOW = 1_800_000_000_000
const by = { now: NOW, random: () => 0.5, newId: () => 'new' }
const CONFLICT = new AgentError('store.conflict', 'another transaction')
const FOREIGN = { kind: { S: 'lane' }, lane: { S: 'a' }, lease: { S: 'another' }, leaseUntil: { N: String(NOW + 1) } }

const begin = () =>
  leaseOf(
    { lane: 'a', reason: { kind: 'committed' } },
    { id: 'mine', now: NOW },
    (result): Step<unknown> => ({ result }),
  )

const askOf = (step: Step<unknown>) => {
  if (!('ask' in step)) throw new Error('it has ended')
  return step.ask
}

const failing = (step: Step<unknown>, error: unknown) => askOf(step).orElse?.(error, by) ?? { error: undefined }

test('is tried ten times while other transactions have the lane, and fails then', () => {
  let step = begin()
  for (let tries = 1; tries < 10; tries++) step = failing(step, CONFLICT)
  expect(failing(step, CONFLICT)).toMatchObject({ error: { code: 'store.conflict' } })
})

test('is not tried again after any other fault', () => {
  const fault = new AgentError('store.unavailable', 'a fault')
  expect(failing(begin(), fault)).toEqual({ error: fault })
})

test('is tried again where its holder has released it before it could be marked', () => {
  const mark = askOf(begin()).next({ written: undefined, found: FOREIGN }, by)
  expect(JSON.stringify(askOf(mark).with)).toContain('dirty')
  const again = askOf(mark).next({ written: undefined, found: undefined }, by)
  expect(askOf(again).with).toEqual(askOf(begin()).with)
})
