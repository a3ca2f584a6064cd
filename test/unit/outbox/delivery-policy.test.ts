/** The steps of a delivery after given results of its actions, for cases that a real table does not show, and for errors. */
import { describe, expect, test } from 'vitest'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { AgentError } from '../../../lib/errors.ts'
import type { Actions } from '../../../lib/outbox/actions.ts'
import { deliver } from '../../../lib/outbox/deliver-lane.ts'
import { QUICK_FOR } from '../../../lib/outbox/destinations/circuit-breaker.ts'
import type { Lane } from '../../../lib/outbox/lanes/lane.ts'
import type { LaneContents } from '../../../lib/outbox/lanes/lane-contents.ts'
import { messageLaneContents } from '../../../lib/outbox/message-lane.ts'
import { repairLane } from '../../../lib/outbox/repair-lane.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { NOW, namesOf, scripted, textOf } from './scripted.ts'

const LANE = 'acme|ConnectionRecord|c1'
const CONFLICT = new AgentError('store.conflict', 'another holder')
const OWN = new TypeError('an internal error')
const WRITTEN = { written: true }
const TAKEN_OVER = { written: false, failed: [0] }
const PROBE = { kind: 'probe', at: NOW, waiting: '1|2|3', destination: 'd' } as const

const quick = { destination: 'https://wallet.example', version: 1, quickUntil: NOW + QUICK_FOR }
const CLOSED = { ...quick, closedAt: NOW, dueAt: NOW + 1 }
const target = (origin: object, address = origin) => ({ target: [{ origin, address }] })
const itemOf = (id: string, createdAt = NOW) => ({
  item: {
    ...{ tenant: 'acme', connectionId: 'c1', id, taken: 0, attempts: 0 },
    messages: [{ endpoint: 'https://wallet.example/', payload: 'x' }],
    createdAt: new Date(createdAt).toISOString(),
  },
  index: 0,
})
const [ITEM, NEXT, OLD] = [itemOf('i1'), itemOf('i2'), itemOf('i1', NOW - 86_400_000)]
const read = (...items: object[]) => ({ items, more: false, corrupt: [] })
const outcome = (more: Partial<PostOutcome>) => ({ headers: {}, body: '', milliseconds: 20, ...more })
const leased = (more = {}) => ({ written: { kind: { S: 'lane' }, lane: { S: LANE }, lease: { S: 'mine' }, ...more } })

const USUAL = {
  ...{ update: leased(), read: read(), target: { origin: quick, address: quick }, transact: WRITTEN },
  ...{ send: outcome({ status: 200 }), wakeLanes: [true], destination: quick, recentDestination: quick },
  change: { ...quick, dueAt: NOW + 1_500 },
}

interface Way {
  reason?: LaneWakeUp['reason']
  queue?: 'fast' | 'slow'
  hops?: number
  startUntil?: number
  contents?: Partial<LaneContents<unknown>>
  now?: Actions['now']
}

/** The actions of a delivery from a lane with two items, with default results unless `results` has others, and its error. */
const delivered = async (results: Record<string, unknown[]> = {}, way: Way = {}) => {
  const { reason = { kind: 'committed' }, queue = 'fast', hops = 0, startUntil = NOW + 60_000, contents } = way
  const { actions, asked } = scripted({ read: [read(ITEM, NEXT)], ...results }, USUAL)
  const { read: reads, send, afterAttempt } = actions as unknown as LaneContents<unknown>
  const contentsOf = async () => ({ ...messageLaneContents(LANE), read: reads, send, afterAttempt, ...contents })
  const all = { ...(way.now && { now: way.now }), contentsOf }
  const ours = new Proxy(actions, { get: (own, name) => Reflect.get(all, name) ?? Reflect.get(own, name) })
  const error = await deliver({ lane: LANE, reason, hops }, { queue, startUntil }, ours).catch((thrown) => thrown)
  return {
    asked,
    names: namesOf(asked),
    text: (does: string) => textOf(asked.findLast((one) => one.does === does)),
    error,
  }
}

const removals = (text: string) => text.split('"remove":{').length - 1

test('the first item is tried even if it is late, the second only in time', async () => {
  const late = await delivered({}, { startUntil: NOW - 1 })
  expect(late.names).toBe('update read target send transact afterAttempt transact wakeLanes')
  expect(late.text('transact')).toContain('dueAt')
  expect(late.text('afterAttempt')).toContain('"status":200')
})

test.each([
  [9_999, 25],
  [10_000, 1],
])('a delivery whose first attempt ends after %i ms makes %i', async (ms, attempts) => {
  let passed = 0
  const read = async () => ({ items: [ITEM, NEXT], more: true, corrupt: [] })
  const send = async () => {
    passed = ms
    return outcome({ status: 200 })
  }
  const { asked } = await delivered({}, { contents: { read, send }, now: () => NOW + passed })
  expect(asked.filter(({ does }) => does === 'afterAttempt')).toHaveLength(attempts)
})

test('a probe is handed over too if the origin is not known to be quick', async () => {
  const { destination, version, closedAt } = CLOSED
  const { names } = await delivered(target({ destination, version, closedAt }), { reason: PROBE })
  expect(names).toBe('update read target transact wakeLanes')
})

test.each([
  [CLOSED, CLOSED],
  [quick, CLOSED],
  [CLOSED, quick],
])('a lane waits if its origin or its address is closed', async (origin, address) => {
  const { names } = await delivered(target(origin, address))
  expect(names).toBe(
    'update read target recentDestination destination change wakeLater transact destination change wakeLater',
  )
})

test.each([
  ['due', 1],
  ['probe', 1],
  ['released', 0],
  ['expired', 0],
] as const)('the entry of a lane that is %s is removed %i times', async (kind, times) => {
  const reason = { kind, at: NOW, waiting: '1|2|3', destination: 'd' } as LaneWakeUp['reason']
  const waits = leased({ waiting: { S: '1|2|3' }, waitsFor: { S: 'd' } })
  const { asked } = await delivered({ update: [waits] }, { reason })
  const writes = asked.filter(({ does }) => does === 'transact').map(textOf)
  expect(writes.map((text) => text.includes('|waiting|1'))).toEqual([times === 1, false, false].slice(0, writes.length))
  for (const results of [{ send: [outcome({ status: 404 })] }, target(CLOSED)])
    if (kind !== 'probe') {
      const left = await delivered({ update: [waits], ...results }, { reason })
      expect(removals(left.text('transact')), kind).toBe(times)
    }
})

test('if the process of the last holder died, only the item that is tried next counts', async () => {
  const { names } = await delivered({ update: [leased({ leases: { N: '2' } })] })
  expect(names).toContain('read transact target send transact afterAttempt target send')
})

test('an expired item is given up at a closed destination, without an attempt', async () => {
  const { names, asked } = await delivered({ ...target(CLOSED), read: [read(OLD)] })
  expect(names).toBe('update read target transact')
  expect(textOf(asked[3])).toContain('outbox-outcome')
})

test('after a probe has reached the destination, the next item is no probe: it waits if the destination is closed again', async () => {
  const closed = { origin: CLOSED, address: CLOSED }
  const { names } = await delivered({ target: [closed, closed], destination: [quick, quick] }, { reason: PROBE })
  expect(names).toContain('target send transact afterAttempt destination target recentDestination')
})

test('a probe whose item is not sent has reached nothing: the next item is a probe too', async () => {
  const closed = { origin: CLOSED, address: CLOSED }
  const results = {
    target: [closed, closed],
    read: [read(OLD, NEXT), read(NEXT)],
    send: [outcome({ failure: 'address' })],
  }
  const { names } = await delivered(results, { reason: PROBE })
  expect(names).toContain('target send afterAttempt transact read target send')
})

test('an empty lane is removed, and an item that must not be sent is removed without an attempt', async () => {
  const empty = await delivered({ read: [read()] })
  expect(empty.names).toBe('update read transact')
  expect(removals(empty.text('transact'))).toBe(1)
  const { names } = await delivered({}, { contents: { endWithoutSending: () => [] } })
  expect(names).toBe('update read transact transact')
})

describe('after an error', () => {
  test.each([
    ['endWithoutSending', {}],
    ['destinationOf', {}],
    ['giveUpAt', {}],
    ['delivered', { status: 200 }],
    ['failed', { status: 404 }],
  ] as const)('of our own in `%s` the lane waits, and it counts against the item', async (name, more) => {
    const throws = () => {
      throw OWN
    }
    const { text, error } = await delivered({ send: [outcome(more)] }, { contents: { [name]: throws } })
    expect(text('transact')).toContain(String(NOW + 5_000))
    expect(text('transact')).toContain(
      JSON.stringify({ item: 'i1', errors: 1, ends: 0, since: NOW }).replaceAll('"', '\\"'),
    )
    expect(text('wakeLater')).toBe(JSON.stringify([{ lane: LANE, reason: { kind: 'due', at: NOW + 5_000 } }, 5_000]))
    expect(error).toBeUndefined()
  })

  test.each([
    [OWN, 2, 20_000, true],
    [OWN, 20, 300_000, true],
    [new AgentError('store.unavailable', 'a fault'), 0, 5_000, false],
  ])('%s the lane waits twice as long each time, up to five minutes', async (fault, failures, wait, counts) => {
    const { text } = await delivered({ update: [leased({ failures: { N: String(failures) } })], target: [fault] })
    expect(text('transact')).toContain(String(NOW + wait))
    expect(text('transact').includes('errors')).toBe(counts)
  })

  test('of a read, no item counts it', async () => {
    expect((await delivered({ read: [OWN] })).text('transact')).not.toContain('errors')
  })

  test('of that write too, the first error is thrown, so that the wake-up is repeated; nothing if another invocation has the lane', async () => {
    expect((await delivered({ target: [OWN], transact: [new Error('a second one')] })).error).toBe(OWN)
    expect((await delivered({ target: [OWN], transact: [CONFLICT] })).error).toBeUndefined()
    expect((await delivered({ target: [OWN], transact: [TAKEN_OVER] })).error).toBeUndefined()
  })

  test('after the release of the lease nothing is written, and the error is thrown', async () => {
    const { names, error } = await delivered({ send: [outcome({ status: 404 })], wakeLater: [CONFLICT] })
    expect(names).toBe('update read target send afterAttempt transact wakeLater')
    expect(error).toBe(CONFLICT)
  })

  test('of the write of an outcome, the item keeps its failures and internal errors', async () => {
    const faults = { S: JSON.stringify({ item: 'i1', errors: 6, ends: 0, since: NOW - 1 }) }
    const { text } = await delivered({ update: [leased({ failures: { N: '3' }, faults })], transact: [WRITTEN, OWN] })
    expect(text('transact')).toContain('\\"errors\\":7')
    expect(text('transact')).toContain(String(NOW + 40_000))
  })

  test('of a report to a destination, the delivery continues; only a failed probe waits', async () => {
    const suspected = target(quick, { ...quick, suspicions: [{}] } as typeof quick)
    expect((await delivered({ ...suspected, afterAttempt: [OWN] })).names).toContain('afterAttempt destination')
    expect((await delivered({ ...suspected, destination: [OWN] })).names).toContain('destination target send')
    const results = { ...target(CLOSED), send: [outcome({ status: 404 })], destination: [OWN] }
    const waits = await delivered(results, { reason: PROBE })
    expect(waits.text('transact')).toContain(String(NOW + 5_000))
  })
})

describe('a write', () => {
  const conflicts = Array(6).fill({ written: false, failed: [], conflict: true })

  test('is repeated five times after a conflict, with a pause that doubles', async () => {
    const { asked, text } = await delivered({ transact: conflicts })
    const pauses = asked.filter(({ does }) => does === 'pause').map(({ args }) => args[0])
    expect(pauses).toEqual([12.5, 25, 50, 100, 200])
    expect(text('transact')).toContain(String(NOW + 5_000))
    expect(text('transact')).not.toContain('errors')
  })

  test('of an outcome is repeated for a dirty lane, and in no other case', async () => {
    const last = (failed: number[]) => delivered({ read: [read(ITEM)], transact: [{ written: false, failed }] })
    const dirty = await last([1])
    expect(dirty.names).toBe('update read target send transact transact afterAttempt read transact')
    expect(textOf(dirty.asked[5])).toContain('dirty')
    expect((await last([0, 1])).text('transact')).toContain(String(NOW + 5_000))
  })
})

const slow = { destination: quick.destination, version: 1 }

test.each([
  ['a lane that probes', PROBE, 'probe'],
  ['any other', { kind: 'due', at: NOW }, 'released'],
] as const)('%s is handed over as what it is', async (_, reason, kind) => {
  const waits = leased({ waiting: { S: '1|2|3' }, waitsFor: { S: 'd' } })
  const handOver = (accepted: boolean) =>
    delivered({ update: [waits], ...target(slow), wakeLanes: [[accepted]] }, { reason })
  const { text, error } = await handOver(true)
  expect(removals(text('transact'))).toBe(kind === 'released' ? 1 : 0)
  expect(text('transact').includes(String(NOW + 15 * 60_000))).toBe(kind === 'released')
  expect(text('wakeLanes')).toMatch(new RegExp(`"kind":"${kind}".*,"slow"]$`))
  expect(error).toBeUndefined()
  expect((await handOver(false)).error?.code).toBe(kind === 'probe' ? undefined : 'store.unavailable')
})

test.each([
  ['fast', quick, 'fast'],
  ['slow', quick, 'released'],
  ['slow', slow, 'slow'],
] as const)(
  'a lane of the %s queue continues in a bulkhead of that queue, after 25 items, up to 12 hops',
  async (queue, origin, bulkhead) => {
    const yields = (hops: number) =>
      delivered(
        { target: Array(25).fill({ origin, address: origin }), read: [read(...Array(30).fill(ITEM))] },
        { queue, hops },
      )
    const { asked, text } = await yields(11)
    expect(asked.filter(({ does }) => does === 'send')).toHaveLength(25)
    expect(text('wakeLanes')).toContain(`"reason":{"kind":"due","at":${NOW}},"hops":12}],"${bulkhead}"`)
    expect((await yields(12)).names).not.toContain('wakeLanes')
  },
)

describe('a lane that is not leased', () => {
  /** The actions with their arguments. */
  const all = async (found: Partial<Lane>, reason: LaneWakeUp['reason'], repeated: boolean): Promise<string[]> => {
    const { actions, asked } = scripted({}, { recentDestination: CLOSED })
    await repairLane(actions, { lane: 'a', reason }, found, { repeated, now: NOW })
    return asked.map((one) => `${one.does} ${textOf(one)}`)
  }
  const commit = { kind: 'committed' } as const
  const listed = { waiting: 'w', waitsFor: 'd' }
  const isRead = [expect.stringMatching(/^recentDestination/)]
  const removed = `removeEntries ["${PROBE.destination}",["${PROBE.waiting}"]]`

  test('makes its destination due, unless the lane is in the index or leased', async () => {
    expect(await all(listed, commit, false)).toEqual(isRead)
    for (const found of [{ ...listed, dueAt: NOW }, { ...listed, lease: 'other' }, {}])
      expect(await all(found, commit, false)).toEqual([])
  })

  test('loses the entry of a probe if it no longer waits under that entry', async () => {
    expect(await all(listed, PROBE, false)).toEqual([removed, ...isRead])
    expect(await all({ ...listed, waiting: PROBE.waiting }, PROBE, false)).toEqual(isRead)
  })

  test('whose wake-up is repeated is handed over again, or is due when its lease ends', async () => {
    const held = { lease: 'other', leaseUntil: NOW + 7_000 }
    const due = { kind: 'due', at: NOW + 7_000 }
    const woken = `wakeLater ${JSON.stringify([{ lane: 'a', reason: due }, 7_000])}`
    expect(await all({ waiting: 'w' }, commit, true)).toEqual([
      'wakeLanes [[{"lane":"a","reason":{"kind":"released","waiting":"w"}}],"slow"]',
    ])
    expect(await all(listed, commit, true)).toEqual(isRead)
    expect(await all({}, commit, true)).toEqual([])
    expect(await all(held, commit, true)).toEqual([expect.stringMatching(/^update .*dirty/), woken])
    expect(await all({ ...held, leaseUntil: 0, dueAt: due.at }, commit, true)).toEqual([woken])
  })
})
