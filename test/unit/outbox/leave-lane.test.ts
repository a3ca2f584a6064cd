/** How a delivery leaves its lane, step by step: what it does where a request fails. */
import { describe, expect, test } from 'vitest'
import { AgentError } from '../../../lib/errors.ts'
import type { Lane } from '../../../lib/outbox/lane.ts'
import {
  type Delivery,
  finish,
  handOver,
  onFault,
  remove,
  repair,
  waitFor,
  waitUntil,
  yieldLane,
} from '../../../lib/outbox/leave-lane.ts'
import { run, type Step } from '../../../lib/outbox/step.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-up.ts'

const NOW = 1_800_000_000_000
const by = { now: NOW, random: () => 0.5, newId: () => 'new' }
const CONFLICT = new AgentError('store.conflict', 'another holder')
const OWN = new TypeError('a fault of our own')
const WRITTEN = { written: true }

const D: Delivery = {
  lane: { lane: 'acme|ConnectionRecord|c1', lease: 'mine', waiting: '1|2|3', waitsFor: 'https://wallet.example' },
  wakeUp: { lane: 'acme|ConnectionRecord|c1', reason: { kind: 'committed' } },
  ...{ queue: 'fast', endsAt: NOW, ended: false, done: 0, failures: 0, faults: undefined, holderDied: false },
  ...{ inList: false, probes: false, counts: {} },
}

const askOf = (step: Step) => {
  if (!('ask' in step)) throw new Error('it has ended')
  const { does, with: args, next, orElse } = step.ask
  return {
    ...{ does, text: JSON.stringify(args) },
    goOn: (result: unknown) => next(result, by),
    fail: (error: unknown) => orElse?.(error, by) ?? { error: undefined },
  }
}
const removals = (step: Step) => askOf(step).text.split('"remove":{').length - 1

describe('after a fault', () => {
  test('the lane waits, doubly long each time up to five minutes, and the fault counts against the item', () => {
    const text = (d: Delivery, error: unknown) => askOf(onFault(d)(error, by)).text
    expect(text({ ...D, item: 'i1' }, OWN)).toContain('errors')
    expect(text({ ...D, item: 'i1' }, OWN)).toContain(String(NOW + 5_000))
    expect(text({ ...D, failures: 2 }, OWN)).toContain(String(NOW + 20_000))
    expect(text({ ...D, failures: 20 }, OWN)).toContain(String(NOW + 300_000))
    expect(text(D, OWN)).not.toContain('errors')
    expect(text({ ...D, item: 'i1' }, CONFLICT)).not.toContain('errors')
  })

  test('of that write too, the first fault is thrown, so that the wake-up comes again', () => {
    expect(askOf(onFault(D)(OWN, by)).fail(new Error('a second one'))).toMatchObject({ error: OWN })
  })

  test('another holder has the lane where it cannot be written: nothing is left to do', () => {
    expect(askOf(onFault(D)(OWN, by)).fail(CONFLICT)).toMatchObject({ result: undefined })
    expect(askOf(onFault(D)(OWN, by)).goOn({ written: false, failed: [0] })).toMatchObject({ result: undefined })
  })

  test('behind the release of the lease nothing is written, and the fault is thrown', () => {
    const waits = askOf(waitUntil(D, { at: NOW, failures: 1 }, by))
    expect(JSON.parse(waits.text)).toMatchObject([[{ update: {} }]])
    const woken = waits.goOn(WRITTEN)
    expect(askOf(woken)).toMatchObject({
      does: 'wakeLater',
      text: expect.stringContaining(`{"kind":"due","at":${NOW}}},0]`),
    })
    expect(askOf(woken).fail(CONFLICT)).toMatchObject({ error: CONFLICT })
  })
})

describe('a write', () => {
  test('is repeated five times where another transaction has the lane, after a pause that doubles', () => {
    let step = remove({ ...D, item: 'i1' })
    for (let pause = 12.5; pause <= 200; pause *= 2) {
      const paused = askOf(step).goOn({ written: false, failed: [], conflict: true })
      expect(askOf(paused)).toMatchObject({ does: 'pause', text: `[${pause}]` })
      step = askOf(paused).goOn(undefined)
    }
    const waits = askOf(step).goOn({ written: false, failed: [], conflict: true })
    expect(askOf(waits)).toMatchObject({ does: 'transact', text: expect.stringContaining(String(NOW + 5_000)) })
    expect(askOf(waits).text).not.toContain('errors')
  })

  test('of an outcome is repeated for a lane that is dirty, and for nothing else', () => {
    const finished = () => finish(D, [{ remove: { pk: 'a', sk: 'i1' } }], true, () => ({ result: undefined }))
    expect(askOf(askOf(finished()).goOn({ written: false, failed: [1] })).text).toContain('dirty')
    expect(askOf(askOf(finished()).goOn({ written: false, failed: [0, 1] })).text).toContain(String(NOW + 5_000))
  })

  test('of an outcome that fails leaves the item with the failures and faults that it had', () => {
    const faults = { item: 'i1', errors: 6, ends: 0, since: NOW - 1 }
    for (const isLast of [true, false]) {
      const outcome = finish({ ...D, item: 'i1', failures: 3, faults }, [], isLast, () => ({ result: undefined }))
      const waits = askOf(askOf(outcome).fail(OWN)).text
      expect(waits).toContain('\\"errors\\":7')
      expect(waits).toContain(String(NOW + 40_000))
    }
  })

  test('removes the entry of the waiting list once, if it may still be there', () => {
    const next = (after: Delivery) => finish(after, [], false, () => ({ result: undefined }))
    expect(removals(next(D))).toBe(0)
    const first = finish({ ...D, inList: true }, [], false, next)
    expect([removals(first), removals(askOf(first).goOn(WRITTEN))]).toEqual([1, 0])
    const joined = { destination: 'd', version: 1, dueAt: NOW }
    const waits = (inList: boolean) => [
      waitUntil({ ...D, inList }, { at: NOW, failures: 1 }, by),
      askOf(waitFor({ ...D, inList }, { destination: 'd', giveUpAt: NOW }, by)).goOn(joined),
    ]
    expect(waits(true).map(removals)).toEqual([1, 1])
    expect(waits(false).map(removals)).toEqual([0, 0])
  })
})

test('a destination is in the index before a lane is in its list, and is looked at again behind that', () => {
  const wait = { destination: 'd', giveUpAt: NOW + 1_000 }
  const step = waitFor(D, wait, by)
  expect(askOf(step).does).toBe('recentDestination')
  expect(askOf(askOf(step).goOn({ destination: 'd', version: 1 })).does).toBe('destination')
  const joined = askOf(step).goOn({ destination: 'd', version: 1, dueAt: NOW })
  expect(askOf(joined).does).toBe('transact')
  expect(askOf(askOf(joined).goOn(WRITTEN)).does).toBe('destination')
})

test('a lane that was handed over is due after a quarter of an hour, in case its wake-up is lost', () => {
  expect(askOf(handOver(D, by)).text).toContain(String(NOW + 15 * 60_000))
})

const PROBE = { kind: 'probe', waiting: '1|2|3', destination: 'https://wallet.example', at: NOW - 1 } as const
const wokenBy = (reason: LaneWakeUp['reason'], hops = 0): LaneWakeUp => ({ lane: 'a', reason, hops })

test.each([
  ['a lane that probes', true, PROBE, 'probe'],
  ['one that has probed', false, PROBE, 'released'],
  ['any other', true, { kind: 'committed' }, 'released'],
] as const)('%s is handed over as what it is', (_, probes, reason, kind) => {
  const handsOver = handOver({ ...D, probes, inList: true, wakeUp: wokenBy(reason) }, by)
  expect(removals(handsOver)).toBe(kind === 'released' ? 1 : 0)
  const handedOver = askOf(handsOver)
  expect(handedOver.text.includes(String(NOW + 15 * 60_000))).toBe(kind === 'released')
  expect(handedOver.text).toContain(D.lane.lease)
  const woken = askOf(handedOver.goOn(WRITTEN))
  expect(woken).toMatchObject({ does: 'wakeLanes', text: expect.stringMatching(`"kind":"${kind}".*,"slow"]$`) })
  expect(woken.goOn([true])).toHaveProperty('result')
  expect(woken.goOn([false])).toHaveProperty(kind === 'probe' ? 'result' : 'error')
})

test.each([
  ['fast', true, 'fast'],
  ['slow', true, 'released'],
  ['slow', false, 'slow'],
] as const)('a lane of the %s queue goes on in a bulkhead of that queue, up to 12 hops', (queue, isQuick, bulkhead) => {
  const written = (hops: number) =>
    askOf(yieldLane({ ...D, queue, isQuick, wakeUp: wokenBy({ kind: 'committed' }, hops) }, by)).goOn(WRITTEN)
  const reason = `{"kind":"due","at":${NOW}}`
  const woken = askOf(written(11))
  expect(woken).toMatchObject({
    does: 'wakeLanes',
    text: expect.stringContaining(`"reason":${reason},"hops":12}],"${bulkhead}"`),
  })
  expect(woken.goOn([true])).toHaveProperty('result')
  expect(written(12)).toEqual({ result: undefined })
})

describe('a lane that is not leased', () => {
  /** What is done, each with its arguments. */
  const all = (found: Partial<Lane>, reason: LaneWakeUp['reason'], repeated: boolean): string[] => {
    const done: string[] = []
    let step = repair({ lane: 'a', reason }, found, { repeated, now: NOW })
    for (; 'ask' in step; step = askOf(step).goOn({ destination: 'd', version: 1, dueAt: NOW }))
      done.push(`${askOf(step).does} ${askOf(step).text}`)
    expect(step).toHaveProperty('result')
    return done
  }
  const listed = { waiting: 'w', waitsFor: 'd' }
  const read = [expect.stringMatching(/^recentDestination/)]
  const removed = `removeEntries ["${PROBE.destination}",["${PROBE.waiting}"]]`

  test('has its list read, unless it is in the index or leased', () => {
    expect(all(listed, { kind: 'committed' }, false)).toEqual(read)
    expect(all({ ...listed, dueAt: NOW }, { kind: 'committed' }, false)).toEqual([])
    expect(all({ ...listed, lease: 'other' }, { kind: 'committed' }, false)).toEqual([])
    expect(all({}, { kind: 'committed' }, false)).toEqual([])
  })

  test('loses the entry of a probe under which it no longer waits', () => {
    expect(all(listed, PROBE, false)).toEqual([removed, ...read])
    expect(all({ ...listed, waiting: PROBE.waiting }, PROBE, false)).toEqual(read)
  })

  test('whose wake-up comes again was perhaps handed over, or is due when its lease is over', () => {
    const leased = { lease: 'other', leaseUntil: NOW + 7_000 }
    const due = { kind: 'due', at: NOW + 7_000 }
    const woken = `wakeLater ${JSON.stringify([{ lane: 'a', reason: due }, 7_000])}`
    expect(all({ waiting: 'w' }, { kind: 'committed' }, true)).toEqual([
      'wakeLanes [[{"lane":"a","reason":{"kind":"released","waiting":"w"}}],"slow"]',
    ])
    expect(all(listed, { kind: 'committed' }, true)).toEqual(read)
    expect(all({}, { kind: 'committed' }, true)).toEqual([])
    expect(all(leased, { kind: 'committed' }, true)).toEqual([expect.stringMatching(/^update .*dirty/), woken])
    expect(all({ ...leased, leaseUntil: 0, dueAt: due.at }, { kind: 'committed' }, true)).toEqual([woken])
  })
})

test('a policy that says nothing of a fault fails with it', async () => {
  const step: Step = { ask: { does: 'pause', with: [1], next: () => ({ result: undefined }), orElse: undefined } }
  await expect(run(step, { pause: () => Promise.reject(OWN) }, () => by)).rejects.toBe(OWN)
  await expect(run(step, {}, () => by)).rejects.toMatchObject({ code: 'internal' })
})
