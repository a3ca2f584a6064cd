/** The delivery of a lane, step by step: what it asks for, after what it was told. */
import { expect, test } from 'vitest'
import { QUICK_FOR } from '../../../lib/outbox/circuit-breaker.ts'
import type { LaneContents } from '../../../lib/outbox/lane-contents.ts'
import { delivery } from '../../../lib/outbox/lane-delivery.ts'
import { openMessageLane } from '../../../lib/outbox/messages.ts'
import type { Step } from '../../../lib/outbox/step.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-up.ts'

const NOW = 1_800_000_000_000
const LANE = 'acme|ConnectionRecord|c1'
const by = { now: NOW, random: () => 0.5, newId: () => 'new' }

const begin = (reason: LaneWakeUp['reason'] = { kind: 'committed' }, startUntil = NOW + 14_000) =>
  delivery({
    ...{ wakeUp: { lane: LANE, reason }, queue: 'fast', repeated: false, startUntil },
    lease: { id: 'mine', now: NOW },
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
  for (const [origin, address] of [
    [closed, closed],
    [quick, closed],
    [closed, quick],
  ])
    expect(asked(target.goOn({ origin, address })).does).toBe('recentDestination')
  expect(asked(target.goOn({ origin: quick, address: quick })).does).toBe('attempt')
})

/** What requests result in, by name. */
const GIVEN: Record<string, unknown> = {
  open: openMessageLane(LANE),
  target: { origin: quick, address: quick },
  transact: { written: true },
  attempt: { outcome: { headers: {}, body: '', milliseconds: 20, status: 200 }, startedAt: NOW, endedAt: NOW },
}
const leasedWith = (more = {}) => ({
  written: { kind: { S: 'lane' }, lane: { S: LANE }, lease: { S: 'mine' }, ...more },
})

/** All that is asked for, up to a number of it: the lane is leased with `more`, and results are given by name. */
const asks = (step: Step, count: number, results: Record<string, unknown> = {}, more = {}) => {
  const given: Record<string, unknown> = { ...GIVEN, read: READ, update: leasedWith(more), ...results }
  const done: { does: string; text: string }[] = []
  for (let next = step; done.length < count && 'ask' in next; next = asked(next).goOn(given[asked(next).does]))
    done.push({ does: asked(next).does, text: JSON.stringify(asked(next).args) })
  return done
}
const NEXT = { ...ITEM, item: { ...ITEM.item, id: 'i2' } }
const READ = { items: [ITEM, NEXT], more: false, corrupt: [] }
const OLD = { ...ITEM, item: { ...ITEM.item, createdAt: new Date(NOW - 86_400_000).toISOString() } }
const PROBE = { kind: 'probe', at: NOW, waiting: '1|2|3', destination: 'd' } as const
const CLOSED = { origin: { ...quick, closedAt: NOW }, address: { ...quick, closedAt: NOW } }
const names = (done: { does: string }[]) => done.map(({ does }) => does).join(' ')

test('the first item is tried however late it is, and the second only in time', () => {
  const late = asks(begin(undefined, NOW - 1), 8)
  expect(names(late)).toBe('update open read target attempt transact afterAttempt transact')
  expect(late.at(-1)?.text).toContain('dueAt')
  expect(late[6]?.text).toContain('"status":200')
})

test.each([
  [9_999, 'target'],
  [10_000, 'transact'],
])('%i ms after its begin a delivery goes on with `%s`', (ms, next) => {
  const step = asked(begin(undefined, NOW + 60_000)).goOn(leasedWith())
  by.now = NOW + ms
  const done = asks(step, 7)
  by.now = NOW
  expect(names(done)).toBe(`open read target attempt transact afterAttempt ${next}`)
})

test('a probe too is handed over where the origin is not known to be quick', () => {
  const closed = { destination: 'https://wallet.example', version: 1, closedAt: NOW }
  const done = asks(begin(PROBE), 6, { target: { origin: closed, address: closed }, wakeLanes: [true] })
  expect(names(done)).toBe('update open read target transact wakeLanes')
})

test.each([
  ['due', true],
  ['probe', true],
  ['released', false],
  ['expired', false],
] as const)('the entry of a lane that is %s is removed with the outcome: %s', (kind, isRemoved) => {
  const reason = { kind, at: NOW, waiting: '1|2|3', destination: 'd' } as LaneWakeUp['reason']
  const waits = { waiting: { S: '1|2|3' }, waitsFor: { S: 'd' } }
  const outcome = asks(begin(reason), 6, {}, waits).at(-1)
  expect(outcome?.does).toBe('transact')
  expect(outcome?.text.includes('|waiting|1')).toBe(isRemoved)
})

test('where the process of the last holder has ended, only the item counts that is tried next', () => {
  const done = asks(begin(), 12, {}, { leases: { N: '2' } })
  expect(names(done.slice(3, 9))).toBe('transact target attempt transact afterAttempt target')
})

test('an item whose time is over is given up at a closed destination, without an attempt', () => {
  const done = asks(begin(), 5, { target: CLOSED, read: { items: [OLD], more: false, corrupt: [] } })
  expect(names(done)).toBe('update open read target transact')
  expect(done.at(-1)?.text).toContain('outbox-outcome')
})

test('a lane that has reached its destination probes no more: where it is closed again, the next item waits', () => {
  const done = asks(begin(PROBE), 12, { target: CLOSED, destination: quick, recentDestination: quick })
  expect(names(done.slice(3, 11))).toBe(
    'target attempt transact afterAttempt destination destination target recentDestination',
  )
})

test('a probe whose item never leaves this service has reached nothing: the next item probes too', () => {
  const outcome = { failure: 'address', headers: {}, body: '', milliseconds: 1 }
  const attempt = { outcome, startedAt: NOW, endedAt: NOW }
  const read = { items: [OLD, NEXT], more: false, corrupt: [] }
  const done = asks(begin(PROBE), 10, { target: CLOSED, read, attempt })
  expect(names(done.slice(3))).toBe('target attempt afterAttempt transact read target attempt')
})

test('a lane in which nothing waits ends', () => {
  const read = { items: [], more: false, corrupt: [] }
  const done = asks(begin(), 6, { read })
  expect(names(done)).toBe('update open read transact')
  expect(JSON.parse(done[3]?.text ?? '')).toMatchObject([[{ remove: {} }]])
})

test('an item that need not be sent ends without an attempt', () => {
  const contents = { ...openMessageLane(LANE), endWithoutSending: () => [] }
  expect(names(asks(begin(), 6, { open: contents }))).toBe('update open read transact transact')
})

test('a fault after an attempt does not undo it: the delivery goes on, and only a probe that has failed waits', () => {
  const afterFault = (does: string, reason: LaneWakeUp['reason'], results: Record<string, unknown>) => {
    const given: Record<string, unknown> = { ...GIVEN, read: READ, update: leasedWith(), ...results }
    let step = begin(reason)
    while ('ask' in step && step.ask.does !== does) step = step.ask.next(given[step.ask.does], by)
    return asked('ask' in step ? (step.ask.orElse?.(new TypeError('a fault'), by) ?? step) : step)
  }
  const suspected = { target: { origin: quick, address: { ...quick, suspicions: [{}] } } }
  expect(afterFault('afterAttempt', { kind: 'committed' }, suspected).does).toBe('destination')
  expect(afterFault('destination', { kind: 'committed' }, suspected).does).toBe('target')
  const attempt = { outcome: { headers: {}, body: '', milliseconds: 20, status: 404 }, startedAt: NOW, endedAt: NOW }
  const waits = afterFault('destination', PROBE, { target: CLOSED, attempt })
  expect(JSON.stringify(waits.args)).toContain(String(NOW + 5_000))
})

test('a delivery ends after 25 items, and its lane is woken again', () => {
  const done = asks(begin(), 200, { read: { items: Array(30).fill(ITEM), more: false, corrupt: [] } })
  expect(done.filter(({ does }) => does === 'attempt')).toHaveLength(25)
  expect(done.at(-1)?.does).not.toBe('attempt')
})
