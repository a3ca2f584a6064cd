/** The delivery of a lane, step by step: what it asks for, after what it was told. */
import { expect, test } from 'vitest'
import { QUICK_FOR } from '../../../lib/outbox/circuit-breaker.ts'
import type { LaneContents } from '../../../lib/outbox/lane-contents.ts'
import { delivery } from '../../../lib/outbox/lane-delivery.ts'
import { openMessageLane } from '../../../lib/outbox/messages.ts'
import type { Step } from '../../../lib/outbox/step.ts'

const NOW = 1_800_000_000_000
const LANE = 'acme|ConnectionRecord|c1'
const by = { now: NOW, random: () => 0.5, newId: () => 'new' }

const begin = () =>
  delivery({
    ...{ wakeUp: { lane: LANE, reason: { kind: 'committed' } }, queue: 'fast', repeated: false },
    lease: { id: 'mine', now: NOW },
    startUntil: NOW + 14_000,
  })

/** What a step asks for, and the next one after a result. */
const asked = (step: Step) => {
  if (!('ask' in step)) throw new Error('it has ended')
  const { does, with: args, next } = step.ask
  return { does, args, goOn: (result: unknown) => next(result, by) }
}

const leased = () => {
  const { does, goOn } = asked(begin())
  expect(does).toBe('update')
  return goOn({
    written: { kind: { S: 'lane' }, lane: { S: LANE }, lease: { S: 'mine' }, leaseUntil: { N: String(NOW + 1) } },
  })
}

const quick = { destination: 'https://wallet.example', version: 1, quickUntil: NOW + QUICK_FOR }
const ITEM = {
  item: {
    ...{ tenant: 'acme', connectionId: 'c1', id: 'i1', taken: 0, attempts: 0 },
    messages: [{ endpoint: 'https://wallet.example/', payload: 'x' }],
    createdAt: new Date(NOW).toISOString(),
  },
  index: 0,
}

/** The delivery with contents of which one function throws, up to the first transaction. */
const upToTransaction = (name: keyof LaneContents<unknown>, outcome: object) => {
  const throws = () => {
    throw new TypeError('a fault of our own')
  }
  let step = asked(leased()).goOn({ ...openMessageLane(LANE), [name]: throws })
  const results: Record<string, unknown> = {
    read: { items: [ITEM], more: false, corrupt: [] },
    target: { origin: quick, address: quick },
    attempt: { outcome: { headers: {}, body: '', milliseconds: 20, ...outcome }, startedAt: NOW, endedAt: NOW },
  }
  for (let now = asked(step); now.does !== 'transact'; now = asked(step)) step = now.goOn(results[now.does])
  return asked(step)
}

test.each([
  ['endWithoutSending', {}],
  ['destinationOf', {}],
  ['giveUpAt', {}],
  ['delivered', { status: 200 }],
  ['failed', { status: 404 }],
] as const)('an error of our own in `%s` counts against the item, and its lane waits', (name, outcome) => {
  const { args } = upToTransaction(name, outcome)
  const text = JSON.stringify(args)
  expect(text).toContain(String(NOW + 5_000))
  expect(text).toContain(JSON.stringify({ item: 'i1', errors: 1, ends: 0, since: NOW }).replaceAll('"', '\\"'))
})

test('a step can be continued several times: each time it goes on from the same state', () => {
  const { goOn } = asked(leased())
  const opened = () => asked(goOn(openMessageLane(LANE))).goOn({ items: [ITEM], more: false, corrupt: [] })
  expect([opened(), opened()].map((step) => asked(step).does)).toEqual(['target', 'target'])
  const target = asked(opened())
  const closed = { ...quick, closedAt: NOW, dueAt: NOW + 1 }
  expect(asked(target.goOn({ origin: closed, address: closed })).does).toBe('recentDestination')
  expect(asked(target.goOn({ origin: quick, address: quick })).does).toBe('attempt')
})
