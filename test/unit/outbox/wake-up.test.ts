/** Wake-ups as messages: others are rejected, and deduplication ids are equal only for duplicates. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  committedId,
  decodeWakeUp,
  deduplicationId,
  encodeWakeUp,
  messageGroupOf,
  type WakeUp,
} from '../../../lib/outbox/wake-ups/wake-up.ts'

const lane = 'tenant|ConnectionRecord|connection'
const WAKE_UPS: WakeUp[] = [
  { lane, reason: { kind: 'committed' } },
  { lane, reason: { kind: 'committed', first: { id: '0199', destination: 'https://wallet.example' } } },
  { lane, reason: { kind: 'due', at: 5 } },
  { lane, reason: { kind: 'due', at: 5 }, hops: 3 },
  { lane, reason: { kind: 'released', waiting: '1|2|3' } },
  { lane, reason: { kind: 'expired', waiting: '1|2|3' } },
  { lane, reason: { kind: 'probe', waiting: '1|2|3', destination: 'https://wallet.example', at: 5 } },
  { destination: 'https://wallet.example', at: 5 },
]

describe('a wake-up', () => {
  test.each(WAKE_UPS)('is the same after its way through a queue: %j', (wakeUp) => {
    expect(decodeWakeUp(encodeWakeUp(wakeUp))).toEqual(wakeUp)
  })

  test.each([
    '',
    'null',
    '[]',
    '"text"',
    '{',
    '{}',
    '{"lane":"x"}',
    '{"lane":5,"reason":{"kind":"committed"}}',
    '{"lane":"x","reason":{"kind":"other"}}',
    '{"lane":"x","reason":{"kind":"due"}}',
    '{"lane":"x","reason":{"kind":"due","at":"5"}}',
    '{"lane":"x","reason":{"kind":"due","at":-1}}',
    '{"lane":"x","reason":{"kind":"due","at":1.5}}',
    '{"lane":"x","reason":{"kind":"due","at":1e999}}',
    '{"lane":"x","reason":{"kind":"released"}}',
    '{"lane":"x","reason":{"kind":"probe","waiting":"1|2|3"}}',
    '{"lane":"x","reason":{"kind":"committed"},"hops":-1}',
    '{"lane":"x","reason":{"kind":"committed"},"hops":"many"}',
    '{"destination":"x"}',
    '{"destination":["x"],"at":5}',
    '{"__proto__":{"lane":"x"},"reason":{"kind":"committed"}}',
  ])('is not %s', (body) => {
    expect(decodeWakeUp(body)).toBeUndefined()
  })

  test('is parsed without an error, for any body', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (body) => void decodeWakeUp(body)))
  })
})

describe('deduplication ids', () => {
  test('differ for different wake-ups', () => {
    const ids = WAKE_UPS.map(deduplicationId)
    expect(new Set(ids).size).toBe(WAKE_UPS.length)
  })

  test('of a committed item are the same for both of its senders, and unique for the item', () => {
    expect(committedId(lane, 'a')).toBe(committedId(lane, 'a'))
    expect(committedId(lane, 'a')).not.toBe(committedId(lane, 'b'))
    expect(committedId('a', 'b,c')).not.toBe(committedId('a,b', 'c'))
  })

  test('differ for two probes by the only lane of a list: SQS would drop the second one within 5 minutes', () => {
    const probe = (at: number): WakeUp => ({
      lane,
      reason: { kind: 'probe', waiting: '1|2|3', destination: 'https://wallet.example', at },
    })
    expect(deduplicationId(probe(1))).not.toBe(deduplicationId(probe(2)))
  })

  test('are for few groups of each tenant, which differ from those of other tenants', () => {
    const groups = (owner: string, use: 'fast' | 'slow' | 'released') =>
      new Set(Array.from({ length: 2_000 }, (_, index) => messageGroupOf(`${owner}|ConnectionRecord|${index}`, use)))
    const [mine, others] = [groups('mine', 'fast'), groups('other', 'fast')]
    expect([mine.size, groups('mine', 'slow').size, groups('mine', 'released').size]).toEqual([32, 8, 64])
    expect([...mine, ...groups('mine', 'slow')].filter((group) => others.has(group))).toEqual([])
    expect([...groups('mine', 'slow')].filter((group) => mine.has(group))).toEqual([])
    // An endpoint has its own groups: a slow one does not delay another one of its organization.
    const [hook, notification] = [groups('@outbox|org|hook', 'fast'), groups('@outbox|org|notification', 'fast')]
    expect(hook.size).toBe(32)
    expect([...hook].filter((group) => notification.has(group))).toEqual([])
  })

  test('and groups are short enough for SQS, and show no ids', () => {
    const long = `${'x'.repeat(500)}|ConnectionRecord|y`
    for (const id of [messageGroupOf(long, 'fast'), committedId(long, 'a')]) expect(id).toMatch(/^[\w-]{1,128}$/)
  })
})
