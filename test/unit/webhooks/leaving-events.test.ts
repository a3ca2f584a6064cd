/** Which pointers to events leave because of a change. */
import { describe, expect, test } from 'vitest'
import { readPointer } from '../../../lib/delivery/pointer.ts'
import { eventAddress, type NewEvent, toEventItem } from '../../../lib/webhooks/event-item.ts'
import { leavingEvents } from '../../../lib/webhooks/leaving-events.ts'
import { toReplayItem } from '../../../lib/webhooks/replay-item.ts'
import { inserted, modified, removed } from '../../support/changes.ts'
import { recordItem } from './event-scenes.ts'

const QUEUE = 'https://queue.example/webhooks.fifo'

const event = (id: string, recordId = 'r1', endpointId = 'e1'): NewEvent => ({
  id,
  type: 'proof.state_changed',
  orgId: 'acme',
  endpointId,
  endpointKind: 'webhook',
  recordId,
  occurredAt: '2026-01-01T00:00:00.000Z',
  body: '{"secret":"body"}',
})

const leaving = (...of: Parameters<typeof event>) =>
  leavingEvents(inserted(toEventItem(event(...of), 'pending')), QUEUE)[0]

describe('a new event', () => {
  test('should leave as a pointer to it, and nothing of its content', () => {
    const messages = leavingEvents(inserted(toEventItem(event('i1'), 'pending')), QUEUE)
    expect(messages).toHaveLength(1)
    expect(messages[0]?.queueUrl).toBe(QUEUE)
    expect(readPointer(messages[0]?.body ?? '')).toEqual(eventAddress(event('i1')))
    expect(JSON.stringify(messages)).not.toContain('secret')
  })

  test('should be in the group of its endpoint and record, with an id of its own that is always the same', () => {
    expect(leaving('i1')).toEqual(leaving('i1'))
    expect(leaving('i1')?.group).toBe(leaving('i2')?.group)
    expect(leaving('i1')?.id).not.toBe(leaving('i2')?.id)
    expect(leaving('i1')?.group).not.toBe(leaving('i1', 'r2')?.group)
    expect(leaving('i1')?.group).not.toBe(leaving('i1', 'r1', 'e2')?.group)
    expect(leaving('i1')?.group).toMatch(/^[A-Za-z0-9_-]{1,128}$/)
  })

  test('should stay where its endpoint is disabled', () => {
    expect(leavingEvents(inserted(toEventItem(event('i1'), 'held')), QUEUE)).toEqual([])
  })
})

describe('a replay', () => {
  const replayed = ['i1', 'i2'].map((id) => ({ ...eventAddress(event(id)), recordId: 'r1' }))

  test('should let its events leave in order, in the groups that they always had, as messages of their own', () => {
    const messages = leavingEvents(inserted(toReplayItem('e1', replayed)), QUEUE)
    expect(messages.map(({ body }) => readPointer(body))).toEqual(['i1', 'i2'].map((id) => eventAddress(event(id))))
    expect(messages.map(({ group }) => group)).toEqual([leaving('i1')?.group, leaving('i2')?.group])
    expect(messages[0]?.id).not.toBe(leaving('i1')?.id)
  })

  test('should be another one each time, and the same when it is relayed twice', () => {
    const [one, other] = [toReplayItem('e1', replayed), toReplayItem('e1', replayed)].map(inserted)
    const ids = (change = inserted({})) => leavingEvents(change, QUEUE).map(({ id }) => id)
    expect(ids(one)).toEqual(ids(one))
    expect(new Set([...ids(one), ...ids(other)]).size).toBe(4)
  })
})

test.each([
  ['an attempt at it', modified(toEventItem(event('i1'), 'pending'), toEventItem(event('i1'), 'delivered'))],
  ['its return to pending', modified(toEventItem(event('i1'), 'held'), toEventItem(event('i1'), 'pending'))],
  ['its end', removed(toEventItem(event('i1'), 'pending'))],
  ['a record', inserted(recordItem('ProofRecord', 'done'))],
  ['nothing', {}],
])('no event leaves because of %s', (_name, change) => {
  expect(leavingEvents(change, QUEUE)).toEqual([])
})

test('a garbled image throws', () => {
  const item = toEventItem(event('i1'), 'pending')
  expect(() => leavingEvents(inserted({ ...item, recordId: { N: '1' } }), QUEUE)).toThrow()
  expect(() => leavingEvents(inserted({ ...toReplayItem('e1', []), events: { S: 'x' } }), QUEUE)).toThrow()
})
