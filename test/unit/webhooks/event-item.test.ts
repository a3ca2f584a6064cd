/** The event item and its place in a lane: in the order of the record's events, and never lost by its expiry while it waits. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { committedId } from '../../../lib/outbox/wake-up.ts'
import {
  eventItem,
  eventUpdate,
  heldItem,
  type NewEvent,
  pendingItems,
  placeItem,
} from '../../../lib/webhooks/event-item.ts'

const NOW = '2026-01-02T00:00:00.000Z'
const DAY = 24 * 3600

const event = (sequence: number, id = 'id'): NewEvent => ({
  ...{ id, type: 'proof.state_changed', orgId: 'acme', endpointId: 'e1', endpointKind: 'webhook' },
  ...{ recordId: 'r1', sequence, occurredAt: '2026-01-01T00:00:00.000Z', body: '{}' },
})
const placeOf = (of: NewEvent, again?: string) => pendingItems(of, NOW, again).place

describe('the place of an event', () => {
  test('should be in the lane of its endpoint and record, and lead to the event', () => {
    const { event: item, place } = pendingItems(event(7), NOW)
    expect(place.pk?.S).toBe('@outbox|acme|e1|r1')
    const { eventId, occurredAt } = placeItem.decode(place)
    expect(eventItem.addressOf({ endpointId: 'e1', id: eventId, occurredAt })).toEqual({
      pk: item.pk?.S,
      sk: item.sk?.S,
    })
  })

  test('should come in the order of the sequences, whatever their ids are', () => {
    const sequences = fc.uniqueArray(fc.nat(Number.MAX_SAFE_INTEGER), { minLength: 2, maxLength: 10 })
    fc.assert(
      fc.property(sequences, fc.infiniteStream(fc.uuid()), (numbers, ids) => {
        const keys = numbers.map((sequence) => placeOf(event(sequence, ids.next().value ?? '')).sk?.S ?? '')
        const sorted = numbers.toSorted((a, b) => a - b).map((number) => keys[numbers.indexOf(number)])
        expect(keys.toSorted()).toEqual(sorted)
      }),
    )
  })

  test('should be the same for the same event, and another one for each replay, in the order of its record still', () => {
    const [first, again] = [placeOf(event(7)).sk?.S ?? '', placeOf(event(7)).sk?.S]
    expect(again).toBe(first)
    const replayed = [placeOf(event(7), 'one'), placeOf(event(7), 'two')].map(({ sk }) => sk?.S ?? '')
    const ids = [first, ...replayed].map((position) => committedId('@outbox|acme|e1|r1', position))
    expect(new Set(ids).size).toBe(3)
    const [before = '', after = ''] = [placeOf(event(6), 'z').sk?.S, placeOf(event(8), 'a').sk?.S]
    for (const position of [first, ...replayed]) {
      expect(before < position).toBe(true)
      expect(position < after).toBe(true)
    }
  })
})

describe('the expiry of an event', () => {
  const expiryOf = (item: { expiresAt?: { N?: string } }) => Number(item.expiresAt?.N)

  test('should be 30 days after it occurred while it is held, and none while it is pending', () => {
    expect(expiryOf(heldItem(event(1), NOW))).toBe(Date.parse('2026-01-31T00:00:00.000Z') / 1000)
    expect(pendingItems(event(1), NOW).event).not.toHaveProperty('expiresAt')
  })

  test('should go when it is made pending again, with when it was next tried before', () => {
    const held = eventItem.decode(heldItem(event(1), NOW))
    const { event: item } = pendingItems({ ...held, nextAttemptAt: NOW } as NewEvent, NOW, 'again')
    expect(item).not.toHaveProperty('expiresAt')
    expect(item).not.toHaveProperty('nextAttemptAt')
  })

  test('should come back with its outcome, and be a day away at least', () => {
    const { event: item } = pendingItems({ ...event(1), occurredAt: new Date(0).toISOString() }, NOW)
    const write = eventUpdate(eventItem.decode(item), { state: 'delivered', attempts: 1 })
    const set = 'update' in write ? write.change.set : {}
    expect(expiryOf(set ?? {}) - Date.now() / 1000).toBeGreaterThan(DAY - 60)
  })
})

test('a change of an event holds only as it was read', () => {
  const read = eventItem.decode(pendingItems(event(1), NOW).event)
  expect(eventUpdate(read, { state: 'failed', attempts: 3 })).toMatchObject({
    condition: { equals: { state: { S: 'pending' }, attempts: { N: '0' } } },
  })
})
