/** The items of an event: in its lane in the order of its record's events, and at rest with its expiry. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { committedId } from '../../../lib/outbox/wake-ups/wake-up.ts'
import type { Item } from '../../../lib/store/table.ts'
import {
  type Attempt,
  attemptItem,
  eventItem,
  heldItem,
  isStoredWithEvent,
  listedAttempt,
  listedItem,
  mustSend,
  type NewEvent,
  pendingEvent,
  pendingEventItem,
  restingItem,
} from '../../../lib/webhooks/event-item.ts'

const NOW = '2026-01-02T00:00:00.000Z'
const DAY = 24 * 3600

const event = (sequence: number, id = 'id'): NewEvent => ({
  ...{ id, type: 'proof.state_changed', orgId: 'acme', endpointId: 'e1' },
  ...{ recordId: 'r1', sequence, occurredAt: '2026-01-01T00:00:00.000Z', body: '{}' },
})
const inLane = (of: NewEvent, again?: string) => pendingEventItem.encode(pendingEvent(of, NOW, again))

describe('a pending event', () => {
  test('should be in the lane of its endpoint and record, whole, and never expire', () => {
    const item = inLane(event(7))
    expect(item.pk?.S).toBe('@outbox|acme|e1|r1')
    expect(pendingEventItem.decode(item)).toMatchObject({ ...event(7), attempts: 0, pendingSince: NOW })
    expect(item).not.toHaveProperty('expiresAt')
  })

  test('should not repeat what its key says, nor should it at rest', () => {
    const of = { ...event(7), orgId: 'organization', endpointId: 'endpoint', recordId: 'record', id: 'event-id' }
    const textsOf = (item: Item) => Object.values(item).flatMap(({ S = '' }) => S)
    for (const part of ['organization', 'endpoint', 'record', 'event-id'])
      expect(textsOf(inLane(of)).filter((text) => text.includes(part))).toHaveLength(1)
    const resting = heldItem(of)
    expect(eventItem.decode(resting)).toMatchObject(of)
    for (const part of ['endpoint', 'event-id', of.occurredAt])
      expect(
        textsOf(resting).filter((text) => text.includes(part)),
        part,
      ).toHaveLength(1)
  })

  test('should come in the order of the sequences, whatever their ids are', () => {
    const sequences = fc.uniqueArray(fc.nat(Number.MAX_SAFE_INTEGER), { minLength: 2, maxLength: 10 })
    fc.assert(
      fc.property(sequences, fc.infiniteStream(fc.uuid()), (numbers, ids) => {
        const keys = numbers.map((sequence) => inLane(event(sequence, ids.next().value ?? '')).sk?.S ?? '')
        const sorted = numbers.toSorted((a, b) => a - b).map((number) => keys[numbers.indexOf(number)])
        expect(keys.toSorted()).toEqual(sorted)
      }),
    )
  })

  test('should be the same for the same event, and another one for each replay, in the order of its record still', () => {
    const [first, again] = [inLane(event(7)).sk?.S ?? '', inLane(event(7)).sk?.S]
    expect(again).toBe(first)
    const replayed = [inLane(event(7), 'one'), inLane(event(7), 'two')].map(({ sk }) => sk?.S ?? '')
    const ids = [first, ...replayed].map((position) => committedId('@outbox|acme|e1|r1', position))
    expect(new Set(ids).size).toBe(3)
    const [before = '', after = ''] = [inLane(event(6), 'z').sk?.S, inLane(event(8), 'a').sk?.S]
    for (const position of [first, ...replayed]) {
      expect(before < position).toBe(true)
      expect(position < after).toBe(true)
    }
  })
})

describe('the item of an event in the list of its endpoint', () => {
  const expiryOf = (item: { expiresAt?: { N?: string } }) => Number(item.expiresAt?.N)

  test('should expire 30 days after the event, and not while it is pending', () => {
    const occurred = Date.parse('2126-01-01T00:00:00.000Z') / 1000
    expect(expiryOf(heldItem({ ...event(1), occurredAt: new Date(occurred * 1000).toISOString() }))).toBe(
      occurred + 30 * DAY,
    )
    expect(listedItem(pendingEvent(event(1), NOW))).not.toHaveProperty('expiresAt')
  })

  test('should be there for a day at least', () => {
    const old = { ...event(1), occurredAt: new Date(0).toISOString(), attempts: 1 }
    expect(expiryOf(restingItem(old, 'delivered')) - Date.now() / 1000).toBeGreaterThan(DAY - 60)
  })

  test('should have its position while it is pending, and none at rest', () => {
    const pending = pendingEvent(event(1), NOW)
    expect(eventItem.decode(listedItem(pending)).position).toBe(pending.position)
    expect(eventItem.decode(restingItem(pending, 'failed'))).not.toHaveProperty('position')
  })
})

describe('an event in a lane', () => {
  const pending = pendingEvent(event(1), NOW)

  test('should be sent if it is new, or pending at this position', () => {
    expect(mustSend(pending, undefined)).toBe(true)
    expect(mustSend(pending, { state: 'pending', position: pending.position })).toBe(true)
  })

  test('should not be sent if it is pending at another position', () => {
    expect(mustSend(pending, { state: 'pending', position: `${pending.position}#again` })).toBe(false)
  })

  test.each(['delivered', 'failed', 'held'] as const)('should not be sent if it is %s', (state) => {
    expect(mustSend(pending, { state })).toBe(false)
    expect(mustSend(pending, { state, position: pending.position })).toBe(false)
  })

  test('should not be sent if a replay has put it at another position', () => {
    expect(mustSend(pending, { state: 'pending', position: pendingEvent(event(1), NOW, 'again').position })).toBe(false)
  })
})

describe('an attempt that is stored with its event', () => {
  const pending = pendingEvent(event(1), NOW)
  const at = (ms: number) => new Date(Date.parse(pending.occurredAt) + ms).toISOString()
  const made: Attempt = {
    ...{ endpointId: 'e1', eventId: 'id', type: pending.type, attempt: 1, startedAt: at(12), status: 204 },
    ...{ milliseconds: 3, response: 'ok', outcome: 'delivered', expiresAt: 1 },
  }

  test('should be the first one, within seconds of the event', () => {
    expect(isStoredWithEvent(made, pending)).toBe(true)
    expect(isStoredWithEvent({ ...made, startedAt: at(4_999) }, pending)).toBe(true)
    expect(isStoredWithEvent({ ...made, startedAt: at(5_000) }, pending)).toBe(false)
    expect(isStoredWithEvent({ ...made, attempt: 2 }, pending)).toBe(false)
  })

  test('should be listed as one with a separate item', () => {
    const { endpointId: _, expiresAt: __, ...shown } = made
    expect(listedAttempt(restingItem({ ...pending, attempts: 1 }, 'delivered', made))).toEqual(shown)
    expect(listedAttempt(attemptItem.encode(made))).toMatchObject(shown)
    expect(listedAttempt(restingItem({ ...pending, attempts: 1 }, 'delivered'))).toBeUndefined()
  })

  test('should repeat nothing that the event has', () => {
    const { startedAt, status, milliseconds, response } = made
    const { delivery } = restingItem({ ...pending, attempts: 1 }, 'delivered', made)
    expect(JSON.parse(delivery?.S ?? '')).toEqual({ startedAt, status, milliseconds, response })
  })
})
